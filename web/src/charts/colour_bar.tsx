// SPDX-License-Identifier: MIT

/** Colours in order, from one end to the other. */
export function ColourBar(props: { from: string; to: string; colours: readonly string[] }) {
  const step = 120 / props.colours.length;
  return (
    <span class="colour-bar">
      <span>{props.from}</span>
      <svg width="120" height="8" aria-hidden="true">
        {props.colours.map((colour, i) => (
          <rect key={i} x={i * step} width={step + 0.5} height="8" fill={colour} />
        ))}
      </svg>
      <span>{props.to}</span>
    </span>
  );
}
