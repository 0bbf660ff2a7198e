// SPDX-License-Identifier: MIT
// What every figure has: a title, a legend, files to take away, its numbers as a
// table. The panels are drawn when they come near the screen.
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { number } from '../format';
import { composeSvg, csvText, type Rows, save, svgText, toPng } from './export';
import { Legend, type LegendEntry } from './legend';
import { useSeen } from './size';

interface FigureProps {
  /** For file names and links. */
  readonly name: string;
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly legend?: readonly LegendEntry[];
  /** Entries of a legend that the children draw, for files. */
  readonly exported?: readonly LegendEntry[];
  readonly onToggle?: (key: string) => void;
  readonly table: () => Rows;
  /** Room kept before it is drawn. */
  readonly height: number;
  readonly children: (lit: string | null) => ComponentChildren;
}

const MOST_ROWS = 500;

/** Three panels stand in a row; others in pairs. */
export function columnsFor(panels: number): number {
  return panels === 3 ? 3 : Math.min(Math.max(panels, 1), 2);
}

export function Figure(props: FigureProps) {
  const [ref, seen] = useSeen<HTMLElement>();
  const [lit, setLit] = useState<string | null>(null);
  const [tableShown, showTable] = useState(false);
  const [failure, setFailure] = useState('');
  const legend = props.legend ?? [];
  const file = `sven-${props.name}`;
  const compose = () => composeSvg(ref.current!, props.title, props.exported ?? legend);
  const attempt = (work: () => Promise<void> | void) => {
    setFailure('');
    Promise.resolve()
      .then(work)
      .catch((error: Error) => setFailure(`No file: ${error.message}.`));
  };
  const saveSvg = () =>
    attempt(() => save(`${file}.svg`, new Blob([svgText(compose())], { type: 'image/svg+xml' })));
  const savePng = () => attempt(async () => save(`${file}.png`, await toPng(compose())));
  const saveCsv = () =>
    save(`${file}.csv`, new Blob([csvText(props.table())], { type: 'text/csv' }));
  return (
    <figure ref={ref} class="figure" data-figure={props.name} aria-label={props.title}>
      <figcaption>
        <div class="caption">
          <h3>{props.title}</h3>
          <div class="tools" role="group" aria-label={`Download: ${props.title}`}>
            <button type="button" onClick={saveSvg}>
              SVG
            </button>
            <button type="button" onClick={savePng}>
              PNG
            </button>
            <button type="button" onClick={saveCsv}>
              CSV
            </button>
            <button type="button" aria-expanded={tableShown} onClick={() => showTable(!tableShown)}>
              Table
            </button>
          </div>
        </div>
        {props.note && <p class="note">{props.note}</p>}
        {failure && (
          <p class="note" role="alert">
            {failure}
          </p>
        )}
      </figcaption>
      {legend.length > 0 && <Legend entries={legend} onToggle={props.onToggle} onLight={setLit} />}
      {seen ? props.children(lit) : <div style={{ height: `${props.height}px` }} />}
      {tableShown && <DataTable title={props.title} table={props.table} />}
    </figure>
  );
}

function DataTable(props: { title: string; table: () => Rows }) {
  const { header, rows } = useMemo(props.table, [props.table]);
  return (
    <div class="scroll data-table" role="region" aria-label={`Data: ${props.title}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row, i) => (
            <tr key={i}>
              {row.map((value, j) => (
                <td key={j} class={typeof value === 'number' ? 'numeric' : ''}>
                  {typeof value === 'number' ? number(value, 4) : (value ?? '–')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS && (
        <p class="note">{`The first ${MOST_ROWS} of ${rows.length} rows; CSV has all.`}</p>
      )}
    </div>
  );
}
