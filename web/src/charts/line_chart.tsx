// SPDX-License-Identifier: MIT
// Curves with bands in one coordinate system, drawn as SVG.
import { area, line } from 'd3-shape';
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import type { Column } from '../data';
import { type Axis, type AxisSpec, isShown, leftMargin, makeAxis } from './axis';
import { useSize } from './size';
import { type Near, nearest, Tooltip } from './tooltip';

export interface Series {
  readonly key: string;
  readonly label: string;
  readonly colour: string;
  /** What the legend switches: lines of one entry light up together. */
  readonly entry: string;
  readonly x: Column;
  readonly y: Column;
  readonly low?: Column;
  readonly high?: Column;
  readonly dash?: string;
  readonly width?: number;
  readonly opacity?: number;
}

interface LineChartProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly x: AxisSpec;
  readonly y: AxisSpec;
  readonly title?: string;
  readonly height?: number;
  /** The entry of the legend that is pointed at. */
  readonly lit?: string | null;
  readonly onPick?: (key: string) => void;
  readonly pickHint?: string;
}

const MARGIN = { right: 14, top: 12, bottom: 42 };

/** More bands than these hide each other; then only that of the line pointed at is shown. */
export const MOST_BANDS = 12;

function curve(series: Series, x: Axis, y: Axis, xLog: boolean, yLog: boolean): string {
  const indices = series.y.map((_, i) => i);
  const path = line<number>()
    .defined((i) => isShown(series.x[i], xLog) && isShown(series.y[i], yLog))
    .x((i) => x(series.x[i]!))
    .y((i) => y(series.y[i]!));
  return path(indices) ?? '';
}

function band(series: Series, x: Axis, y: Axis, xLog: boolean, yLog: boolean): string {
  const { low, high } = series;
  if (!low || !high) return '';
  // What lies below zero cannot be on a logarithmic axis: the band then ends at its edge.
  const floor = y.domain[0];
  const path = area<number>()
    .defined((i) => isShown(series.x[i], xLog) && isShown(low[i], false) && isShown(high[i], yLog))
    .x((i) => x(series.x[i]!))
    .y0((i) => y(yLog ? Math.max(low[i]!, floor) : low[i]!))
    .y1((i) => y(high[i]!));
  return path(series.y.map((_, i) => i)) ?? '';
}

export function LineChart(props: LineChartProps) {
  const { series, x: xSpec, y: ySpec } = props;
  const [box, width] = useSize<HTMLDivElement>();
  const [near, setNear] = useState<Near | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const clip = useId();
  const height = props.height ?? 280;
  const xLog = xSpec.log ?? false;
  const yLog = ySpec.log ?? false;
  const bottom = height - MARGIN.bottom;
  const drawn = useMemo(() => {
    const y = makeAxis(
      ySpec,
      series.map((s) => s.y),
      [bottom, MARGIN.top],
      Math.max(3, Math.floor((bottom - MARGIN.top) / 38)),
      0.04,
    );
    const left = leftMargin(y);
    const right = Math.max(width - MARGIN.right, left + 10);
    const x = makeAxis(
      xSpec,
      series.map((s) => s.x),
      [left, right],
      Math.max(2, Math.floor((right - left) / 62)),
      0.01,
    );
    const paths = series.map((s) => ({
      series: s,
      line: curve(s, x, y, xLog, yLog),
      band: band(s, x, y, xLog, yLog),
    }));
    return { x, y, paths, left, right };
  }, [
    series,
    width,
    bottom,
    xLog,
    yLog,
    xSpec.label,
    xSpec.cap,
    ySpec.cap,
    xSpec.domain?.join(),
    ySpec.domain?.join(),
  ]);
  const { x, y, paths, left, right } = drawn;
  const lit = near && series.includes(near.series) ? near.series.key : null;
  const isLit = (s: Series) =>
    lit !== null ? s.key === lit : props.lit ? s.entry === props.lit : true;
  const anyLit = lit !== null || Boolean(props.lit && series.some((s) => s.entry === props.lit));

  const point = (event: PointerEvent) => {
    const frame = svg.current!.getBoundingClientRect();
    setNear(
      nearest(series, x, y, xLog, yLog, [event.clientX - frame.left, event.clientY - frame.top]),
    );
  };
  return (
    <div class="panel" ref={box}>
      {props.title && <div class="panel-title">{props.title}</div>}
      <div class="plot" style={{ height: `${height}px` }}>
        {width > 0 && (
          <svg
            ref={svg}
            class={`chart${anyLit ? ' some-lit' : ''}${series.length > MOST_BANDS ? ' many' : ''}${lit && props.onPick ? ' pickable' : ''}`}
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            role="img"
            aria-label={props.label}
            data-title={props.title ?? ''}
            onPointerMove={point}
            onPointerLeave={() => setNear(null)}
            onClick={() => lit !== null && props.onPick?.(lit)}
          >
            <clipPath id={clip}>
              <rect
                x={left}
                y={MARGIN.top - 2}
                width={right - left + 2}
                height={bottom - MARGIN.top + 3}
              />
            </clipPath>
            <Axes
              x={x}
              y={y}
              xLabel={xSpec.label}
              yLabel={props.title?.toLowerCase() === ySpec.label.toLowerCase() ? '' : ySpec.label}
              left={left}
              right={right}
              bottom={bottom}
            />
            <g clip-path={`url(#${clip})`}>
              {paths.map(
                (p) =>
                  p.band && (
                    <path
                      key={p.series.key}
                      class={`band${isLit(p.series) ? ' lit' : ''}`}
                      d={p.band}
                      fill={p.series.colour}
                    />
                  ),
              )}
              {paths.map((p) => (
                <path
                  key={p.series.key}
                  class={`line${isLit(p.series) ? ' lit' : ''}`}
                  d={p.line}
                  stroke={p.series.colour}
                  stroke-width={p.series.width ?? 1.6}
                  stroke-dasharray={p.series.dash || undefined}
                  stroke-opacity={p.series.opacity}
                  data-series={p.series.key}
                  data-entry={p.series.entry}
                />
              ))}
              {paths.map(
                (p) =>
                  p.series.y.length === 1 &&
                  isShown(p.series.x[0], xLog) &&
                  isShown(p.series.y[0], yLog) && (
                    <circle
                      key={p.series.key}
                      class="dot"
                      cx={x(p.series.x[0])}
                      cy={y(p.series.y[0])}
                      r={3}
                      fill={p.series.colour}
                    />
                  ),
              )}
            </g>
            {lit !== null && near && (
              <circle class="near" cx={near.px} cy={near.py} r={4} fill={near.series.colour} />
            )}
          </svg>
        )}
        {lit !== null && near && (
          <Tooltip
            near={near}
            width={width}
            xLabel={xSpec.label}
            yLabel={ySpec.label}
            hint={props.onPick ? props.pickHint : undefined}
          />
        )}
      </div>
    </div>
  );
}

function Axes(props: {
  x: Axis;
  y: Axis;
  xLabel: string;
  yLabel: string;
  left: number;
  right: number;
  bottom: number;
}) {
  const { x, y, left, right, bottom } = props;
  return (
    <g class="axes">
      {y.ticks.map((tick) => {
        const at = y(tick.value);
        return (
          <g key={tick.value} class="tick-y" data-value={tick.value} data-at={at}>
            <line class="grid" x1={left} x2={right} y1={at} y2={at} />
            <text x={left - 8} y={at + 4} text-anchor="end">
              {tick.label}
            </text>
          </g>
        );
      })}
      <line class="rule" x1={left} x2={right} y1={bottom} y2={bottom} />
      {x.ticks.map((tick) => {
        const at = x(tick.value);
        return (
          <g key={tick.value} class="tick-x" data-value={tick.value} data-at={at}>
            <line class="rule" x1={at} x2={at} y1={bottom} y2={bottom + 4} />
            <text x={at} y={bottom + 17} text-anchor="middle">
              {tick.label}
            </text>
          </g>
        );
      })}
      <text class="axis-label" x={(left + right) / 2} y={bottom + 36} text-anchor="middle">
        {props.xLabel}
      </text>
      <text
        class="axis-label"
        transform={`translate(11 ${(MARGIN.top + bottom) / 2}) rotate(-90)`}
        text-anchor="middle"
      >
        {props.yLabel}
      </text>
    </g>
  );
}
