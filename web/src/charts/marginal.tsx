// SPDX-License-Identifier: MIT
// The loss of all points by one setting: each a dot, with the best and the
// median of those that share a value. What diverged is a cross at the top.
import { number } from '../format';
import { median } from '../stats';
import { isShown, leftMargin, makeAxis } from './axis';
import { useSize } from './size';

export interface Dot {
  readonly key: string;
  readonly at: string;
  readonly value: number | null;
  readonly label: string;
  readonly href: string;
}

const MARGIN = { right: 14, top: 26, bottom: 42 };
const HEIGHT = 260;

export function Marginal(props: {
  label: string;
  title: string;
  xLabel: string;
  yLabel: string;
  xs: readonly string[];
  dots: readonly Dot[];
  colour: string;
}) {
  const [box, width] = useSize<HTMLDivElement>();
  const bottom = HEIGHT - MARGIN.bottom;
  const y = makeAxis(
    { label: '', log: true },
    [props.dots.map((dot) => dot.value)],
    [bottom, MARGIN.top],
    6,
    0.06,
  );
  const left = leftMargin(y);
  const right = Math.max(width - MARGIN.right, left + 10);
  const step = (right - left) / props.xs.length;
  const x = (name: string) => left + (props.xs.indexOf(name) + 0.5) * step;
  const summary = props.xs.map((name) => {
    const values = props.dots.filter((dot) => dot.at === name).map((dot) => dot.value);
    const finite = values.filter((v) => isShown(v, true));
    return { name, best: finite.length ? Math.min(...finite) : null, middle: median(values) };
  });
  const path = (key: 'best' | 'middle') =>
    summary
      .filter((s) => isShown(s[key], true))
      .map((s, i) => `${i ? 'L' : 'M'}${x(s.name).toFixed(2)},${y(s[key]!).toFixed(2)}`)
      .join('');
  // Dots of one value side by side, so that none hides another.
  const seen = new Map<string, number>();
  const shift = (name: string, total: number) => {
    const i = seen.get(name) ?? 0;
    seen.set(name, i + 1);
    return total > 1 ? (i / (total - 1) - 0.5) * Math.min(step * 0.5, 36) : 0;
  };
  return (
    <div class="panel" ref={box}>
      <div class="panel-title">{props.title}</div>
      <div class="plot" style={{ height: `${HEIGHT}px` }}>
        {width > 0 && (
          <svg
            class="chart marginal"
            width={width}
            height={HEIGHT}
            viewBox={`0 0 ${width} ${HEIGHT}`}
            role="img"
            aria-label={props.label}
            data-title={props.title}
          >
            <g class="axes">
              {y.ticks.map((tick) => (
                <g key={tick.value} class="tick-y" data-value={tick.value} data-at={y(tick.value)}>
                  <line class="grid" x1={left} x2={right} y1={y(tick.value)} y2={y(tick.value)} />
                  <text x={left - 8} y={y(tick.value) + 4} text-anchor="end">
                    {tick.label}
                  </text>
                </g>
              ))}
              <line class="rule" x1={left} x2={right} y1={bottom} y2={bottom} />
              {props.xs.map((name) => (
                <text key={name} x={x(name)} y={bottom + 17} text-anchor="middle">
                  {name}
                </text>
              ))}
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
            {props.dots.map((dot) => {
              const at =
                x(dot.at) + shift(dot.at, props.dots.filter((other) => other.at === dot.at).length);
              return isShown(dot.value, true) ? (
                <circle
                  key={dot.key}
                  class="dot"
                  cx={at}
                  cy={y(dot.value)}
                  r="3"
                  fill={props.colour}
                  data-value={dot.value}
                >
                  <title>{`${dot.label}: ${number(dot.value)}`}</title>
                </circle>
              ) : (
                <text key={dot.key} class="cross" x={at} y={MARGIN.top - 8} text-anchor="middle">
                  <title>{`${dot.label}: diverged`}</title>×
                </text>
              );
            })}
            <path class="middle-line" d={path('middle')} stroke={props.colour} />
            <path class="best-line" d={path('best')} stroke={props.colour} />
          </svg>
        )}
      </div>
    </div>
  );
}
