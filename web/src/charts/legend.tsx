// SPDX-License-Identifier: MIT

export interface LegendEntry {
  readonly key: string;
  readonly label: string;
  readonly colour: string;
  readonly dash?: string;
  readonly off?: boolean;
}

interface LegendProps {
  readonly entries: readonly LegendEntry[];
  readonly onToggle?: (key: string) => void;
  readonly onLight: (key: string | null) => void;
}

/** Names beside their lines. Pointed at, a line lights up; pressed, it goes or comes. */
export function Legend({ entries, onToggle, onLight }: LegendProps) {
  return (
    <ul class="legend" aria-label="Legend">
      {entries.map((entry) => (
        <li key={entry.key}>
          <button
            type="button"
            aria-pressed={!entry.off}
            disabled={!onToggle}
            class={entry.off ? 'off' : ''}
            onClick={() => onToggle?.(entry.key)}
            onPointerEnter={() => onLight(entry.off ? null : entry.key)}
            onPointerLeave={() => onLight(null)}
            onFocus={() => onLight(entry.off ? null : entry.key)}
            onBlur={() => onLight(null)}
          >
            <svg width="22" height="10" aria-hidden="true">
              <line
                x1="1"
                x2="21"
                y1="5"
                y2="5"
                stroke={entry.colour}
                stroke-width="2.4"
                stroke-dasharray={entry.dash || undefined}
              />
            </svg>
            <span>{entry.label}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
