// SPDX-License-Identifier: MIT
// One panel of a heat map: a cell for each pair of values, with its number.
import { useId } from 'preact/hooks';
import type { Setting } from '../data';
import { compact } from '../format';
import { inkOn } from '../theme';
import { useSize } from './size';

export interface Cell {
  readonly x: string;
  readonly y: string;
  /** The settings of the point, for files. */
  readonly settings: ReadonlyMap<string, Setting>;
  /** Null: nothing finite to show. */
  readonly value: number | null;
  readonly diverged: number;
  readonly runs: number;
  readonly href: string;
  readonly label: string;
}

interface HeatMapProps {
  readonly label: string;
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xs: readonly string[];
  readonly ys: readonly string[];
  readonly cells: readonly Cell[];
  readonly colour: (value: number) => string;
}

const LEFT = 56;
const TOP = 4;
const BOTTOM = 42;
const ROW = 36;

export function HeatMap(props: HeatMapProps) {
  const [box, width] = useSize<HTMLDivElement>();
  const hatch = useId();
  const height = TOP + ROW * props.ys.length + BOTTOM;
  const column = Math.max((width - LEFT - 4) / props.xs.length, 4);
  const bottom = TOP + ROW * props.ys.length;
  return (
    <div class="panel" ref={box}>
      <div class="panel-title">{props.title}</div>
      <div style={{ height: `${height}px` }}>
        {width > 0 && (
          <svg
            class="chart heat-map"
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            role="group"
            aria-label={props.label}
            data-title={props.title}
          >
            <pattern
              id={hatch}
              width="6"
              height="6"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect width="6" height="6" class="hatch-ground" />
              <line x1="0" x2="0" y1="0" y2="6" class="hatch-line" />
            </pattern>
            {props.cells.map((cell) => {
              const x = LEFT + props.xs.indexOf(cell.x) * column;
              // The smallest value stands at the bottom, as on an axis.
              const y = bottom - (props.ys.indexOf(cell.y) + 1) * ROW;
              const fill = cell.value === null ? `url(#${hatch})` : props.colour(cell.value);
              const ink = cell.value === null ? undefined : inkOn(fill);
              return (
                <a
                  key={`${cell.x} ${cell.y}`}
                  href={cell.href}
                  aria-label={cell.label}
                  class="cell"
                  data-x={cell.x}
                  data-y={cell.y}
                  data-value={cell.value ?? ''}
                  data-diverged={cell.diverged}
                >
                  <title>{cell.label}</title>
                  <rect
                    x={x + 1}
                    y={y + 1}
                    width={column - 2}
                    height={ROW - 2}
                    rx="3"
                    fill={fill}
                  />
                  {column > 26 && cell.value !== null && (
                    <CellText
                      value={cell.value}
                      x={x + column / 2}
                      y={y + ROW / 2}
                      narrow={column < 68}
                      ink={ink!}
                    />
                  )}
                  {cell.diverged > 0 && (
                    <text
                      class={cell.value === null ? 'cross' : 'cross small'}
                      x={cell.value === null ? x + column / 2 : x + column - 8}
                      y={cell.value === null ? y + ROW / 2 + 6 : y + 13}
                      text-anchor="middle"
                      style={ink ? { fill: ink } : {}}
                    >
                      ×
                    </text>
                  )}
                </a>
              );
            })}
            <g class="axes">
              {props.ys.map((label, i) => (
                <text key={label} x={LEFT - 8} y={bottom - (i + 0.5) * ROW + 4} text-anchor="end">
                  {label}
                </text>
              ))}
              {props.xs.map((label, i) => (
                <text
                  key={label}
                  x={LEFT + (i + 0.5) * column}
                  y={bottom + 16}
                  text-anchor="middle"
                >
                  {label}
                </text>
              ))}
              <text
                class="axis-label"
                x={LEFT + (width - LEFT) / 2}
                y={bottom + 35}
                text-anchor="middle"
              >
                {props.xLabel}
              </text>
              <text
                class="axis-label"
                transform={`translate(11 ${TOP + (bottom - TOP) / 2}) rotate(-90)`}
                text-anchor="middle"
              >
                {props.yLabel}
              </text>
            </g>
          </svg>
        )}
      </div>
    </div>
  );
}

/** In one line, or with the power of ten below where the cell is narrow. */
function CellText(props: { value: number; x: number; y: number; narrow: boolean; ink: string }) {
  const { mantissa, power } = compact(props.value);
  if (!power || !props.narrow) {
    return (
      <text
        class="cell-text"
        x={props.x}
        y={props.y + 4}
        text-anchor="middle"
        style={{ fill: props.ink }}
      >
        {power ? `${mantissa} × ${power}` : mantissa}
      </text>
    );
  }
  return (
    <text class="cell-text narrow" text-anchor="middle" style={{ fill: props.ink }}>
      <tspan x={props.x} y={props.y - 2}>
        {mantissa}
      </tspan>
      <tspan x={props.x} y={props.y + 10}>{`× ${power}`}</tspan>
    </text>
  );
}
