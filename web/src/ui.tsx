// SPDX-License-Identifier: MIT
// The small parts that all sections are made of.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { compareLoss } from './model';

export interface Option {
  readonly value: string;
  readonly label: string;
}

export function Select(props: {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
}) {
  const known = props.options.some((option) => option.value === props.value);
  return (
    <label class="field">
      <span>{props.label}</span>
      <select
        aria-label={props.label}
        value={known ? props.value : props.options[0]?.value}
        onChange={(e) => props.onChange(e.currentTarget.value)}
      >
        {props.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A few exclusive choices, side by side. */
export function Segmented(props: {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
}) {
  return (
    <div class="field" role="group" aria-label={props.label}>
      <span aria-hidden="true">{props.label}</span>
      <div class="segmented">
        {props.options.map((option) => (
          <button
            key={option.value}
            type="button"
            aria-pressed={option.value === props.value}
            onClick={() => props.onChange(option.value)}
          >
            {option.label}
          </button>
        ))}
      </div>
    </div>
  );
}

export function Section(props: {
  title: string;
  lead?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="section" aria-labelledby="section-title">
      <h2 id="section-title" tabIndex={-1}>
        {props.title}
      </h2>
      {props.lead && <p class="lead">{props.lead}</p>}
      {props.children}
    </section>
  );
}

/** The settings of a point; a line ends between two of them, not within one. */
export function SettingsText({ label }: { label: string }) {
  const words = label.split(' · ');
  return (
    <span class="settings">
      {label
        ? words.flatMap((word, i) => [
            <span key={i}>{i + 1 < words.length ? `${word} ·` : word}</span>,
            ' ',
          ])
        : '–'}
    </span>
  );
}

export interface TableColumn<Row> {
  readonly key: string;
  readonly title: string;
  readonly numeric?: boolean;
  /** What rows are ordered by; without it the column cannot be. */
  readonly order?: (row: Row) => number | string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Left out where the screen is narrow. */
  readonly minor?: boolean;
}

function compare(a: number | string, b: number | string): number {
  return typeof a === 'number' && typeof b === 'number'
    ? compareLoss(a, b)
    : String(a).localeCompare(String(b));
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The column in whose order rows come, "-name" for the greatest first. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  readonly most?: number;
}

export function Table<Row>(props: TableProps<Row>) {
  const [most, setMost] = useState(props.most ?? Infinity);
  const name = props.sort?.replace(/^-/, '');
  const falling = props.sort?.startsWith('-') ?? false;
  const order = props.columns.find((column) => column.key === name)?.order;
  const rows = order
    ? [...props.rows].sort((a, b) => (falling ? -1 : 1) * compare(order(a), order(b)))
    : props.rows;
  const head = (column: TableColumn<Row>) => {
    const sorted = column.key === name && order;
    const next = sorted && !falling ? `-${column.key}` : column.key;
    return (
      <th
        key={column.key}
        scope="col"
        class={classOf(column)}
        aria-sort={sorted ? (falling ? 'descending' : 'ascending') : undefined}
      >
        {column.order && props.onSort ? (
          <button type="button" class="sort" onClick={() => props.onSort!(next)}>
            {column.title}
            <span aria-hidden="true">{sorted ? (falling ? ' ↓' : ' ↑') : ''}</span>
          </button>
        ) : (
          column.title
        )}
      </th>
    );
  };
  return (
    <>
      <div class="scroll" role="region" aria-label={props.label} tabIndex={0}>
        <table>
          <thead>
            <tr>{props.columns.map(head)}</tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row) => (
              <tr key={props.rowKey(row)}>
                {props.columns.map((column, i) =>
                  i === 0 ? (
                    <th key={column.key} scope="row" class={classOf(column)}>
                      {column.cell(row)}
                    </th>
                  ) : (
                    <td key={column.key} class={classOf(column)}>
                      {column.cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > most && (
        <button type="button" class="more" onClick={() => setMost(most + 200)}>
          {`Show more (${most} of ${rows.length})`}
        </button>
      )}
    </>
  );
}

function classOf<Row>(column: TableColumn<Row>): string {
  return `col-${column.key}${column.numeric ? ' numeric' : ''}${column.minor ? ' minor' : ''}`;
}
