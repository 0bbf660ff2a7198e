// SPDX-License-Identifier: MIT
import { useSize } from './size';

interface Bar {
  readonly name: string;
  readonly value: number;
  readonly text: string;
}

const ROW = 26;
const LEFT = 132;

/** Lying bars, each with its name and value. */
export function Bars(props: { label: string; bars: readonly Bar[]; colour: string }) {
  const [box, width] = useSize<HTMLDivElement>();
  const most = Math.max(...props.bars.map((bar) => bar.value), Number.MIN_VALUE);
  const room = Math.max(Math.min(width, 760) - LEFT - 110, 20);
  const height = ROW * props.bars.length + 4;
  return (
    <div class="panel" ref={box}>
      {width > 0 && (
        <svg
          class="chart"
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={props.label}
          data-title=""
        >
          {props.bars.map((bar, i) => {
            const length = Math.max((bar.value / most) * room, 1);
            return (
              <g key={bar.name} class="bar" data-value={bar.value}>
                <text x={LEFT - 10} y={ROW * i + 17} text-anchor="end">
                  {bar.name}
                </text>
                <rect
                  x={LEFT}
                  y={ROW * i + 5}
                  width={length}
                  height={ROW - 10}
                  rx="2"
                  fill={props.colour}
                />
                <text class="muted" x={LEFT + length + 8} y={ROW * i + 17}>
                  {bar.text}
                </text>
              </g>
            );
          })}
        </svg>
      )}
    </div>
  );
}
