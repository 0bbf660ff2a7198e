// SPDX-License-Identifier: MIT
// The paper's figures and claims.
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { Figure } from '../charts/figure';
import { LineChart } from '../charts/line_chart';
import { Legend } from '../charts/legend';
import { seriesRows } from '../charts/series';
import type { Claim, Experiment } from '../data';
import { count, duration, plural } from '../format';
import { paperFigures } from '../paper';
import type { PaperFigure } from '../paper_parts';
import { Section, Table } from '../ui';
import { hashOf, useChoice, usePage, useSet } from '../view';

/** To a figure or table of the page, as a link to it does. */
function scrollToPlace(key: string | null): void {
  const place = [
    ...document.querySelectorAll<HTMLElement>('[data-figure], #claims, #experiments'),
  ].find((element) => key !== null && (element.dataset.figure === key || element.id === key));
  place?.scrollIntoView();
}

export function Reproduction() {
  const { model, theme, view, change } = usePage();
  const { experiments, claims } = model.report.reproduction!;
  const figures = useMemo(() => paperFigures(experiments, theme), [experiments, theme]);
  const places = [
    ...figures.map((figure) => ({
      key: `figure-${figure.number}`,
      title: `Figure ${figure.number}`,
    })),
    ...(claims.length > 0 ? [{ key: 'claims', title: 'Claims' }] : []),
    ...(experiments.length > 0 ? [{ key: 'experiments', title: 'Experiments' }] : []),
  ];
  const go = (key: string) => {
    change({ at: key });
    scrollToPlace(key);
  };
  useLayoutEffect(() => scrollToPlace(view.params.get('at')), []);
  return (
    <Section
      title="Reproduction"
      lead="The paper’s figures, drawn anew from these runs in the paper’s arrangement, and its claims beside what was measured."
    >
      <div class="contents" role="group" aria-label="On this page">
        {places.map(({ key, title }) => (
          <button key={key} type="button" class="plain" onClick={() => go(key)}>
            {title}
          </button>
        ))}
      </div>
      {figures.map((figure) => (
        <PaperFigureView key={figure.number} figure={figure} />
      ))}
      {claims.length > 0 && <Claims claims={claims} />}
      {experiments.length > 0 && <Experiments experiments={experiments} />}
    </Section>
  );
}

function PaperFigureView({ figure }: { figure: PaperFigure }) {
  const { model } = usePage();
  const [off, toggle] = useSet(`off${figure.number}`);
  const [lit, setLit] = useState<string | null>(null);
  const rows = figure.rows.map((row) => ({
    legend: row.legend.map((entry) => ({ ...entry, off: off.has(entry.key) })),
    panels: row.panels,
  }));
  const offKey = [...off].join();
  const panels = useMemo(
    () =>
      figure.rows.map((row) =>
        row.panels.map((panel) => ({
          ...panel,
          series: panel.series.filter((s) => !off.has(s.entry)),
        })),
      ),
    [figure, offKey],
  );
  const sources = new Set(model.report.sources.map((s) => s.name));
  return (
    <Figure
      name={`figure-${figure.number}`}
      title={`Figure ${figure.number}. ${figure.title}`}
      note={figure.note}
      height={roomFor(figure)}
      exported={rows.flatMap((row) => row.legend)}
      table={() => seriesRows(panels.flat())}
    >
      {() =>
        rows.map((row, r) => (
          <div key={r}>
            {row.legend.length > 0 && (
              <Legend entries={row.legend} onToggle={toggle} onLight={setLit} />
            )}
            <div class={`panels of-${row.panels.length}`}>
              {row.panels.map((panel, i) => (
                <div key={`${panel.title} ${panel.x}`} data-panel={`${r + 1}.${i + 1}`}>
                  <LineChart
                    label={`${panel.title}: ${panel.y} against ${panel.x}`}
                    title={panel.title}
                    series={panels[r]![i]!.series}
                    height={250}
                    lit={lit}
                    x={{ label: panel.x, log: panel.logX, integer: !panel.logX }}
                    y={{ label: panel.y, log: true, cap: panel.cap }}
                  />
                  {sources.has(panel.experiment) && (
                    <a
                      class="panel-link"
                      href={hashOf(
                        'curves',
                        linkParams(
                          model.points.find((p) => p.source.name === panel.experiment)?.task ?? '',
                          panel.experiment,
                        ),
                      )}
                    >
                      runs
                    </a>
                  )}
                </div>
              ))}
            </div>
          </div>
        ))
      }
    </Figure>
  );
}

/** Close to what it will take, so that what is below stays in its place. */
function roomFor(figure: PaperFigure): number {
  const lines = figure.rows.map((row) =>
    Math.ceil(row.panels.length / (innerWidth < 720 ? 1 : innerWidth < 1000 ? 2 : 4)),
  );
  return lines.reduce((sum, count) => sum + count * 294 + 30, 0);
}

function linkParams(task: string, source: string): { [name: string]: string } {
  return { task, source, show: 'all' };
}

const VERDICTS: readonly { word: string; kind: string; sign: string; label: string }[] = [
  { word: 'holds', kind: 'good', sign: '✓', label: 'hold' },
  { word: 'holds in part', kind: 'part', sign: '◐', label: 'hold in part' },
  { word: 'does not hold here', kind: 'bad', sign: '✗', label: 'do not hold here' },
];

function verdictOf(word: string) {
  return (
    VERDICTS.find((v) => v.word === word) ?? {
      word,
      kind: 'none',
      sign: '–',
      label: word || 'not judged',
    }
  );
}

function Claims({ claims }: { claims: readonly Claim[] }) {
  const [chosen, choose] = useChoice('verdict', 'all');
  const words = [
    ...new Set([...VERDICTS.map((v) => v.word), ...claims.map((c) => c.verdict)]),
  ].filter((word) => claims.some((c) => c.verdict === word));
  const shown = claims.filter((claim) => chosen === 'all' || claim.verdict === chosen);
  return (
    <div class="claims" id="claims">
      <h3>Claims</h3>
      <div class="chips" role="group" aria-label="Claims by verdict">
        <button
          type="button"
          aria-pressed={chosen === 'all'}
          onClick={() => choose('all')}
        >{`all ${count(claims.length)}`}</button>
        {words.map((word) => (
          <button
            key={word}
            type="button"
            aria-pressed={chosen === word}
            onClick={() => choose(word)}
          >
            {`${verdictOf(word).sign} ${count(claims.filter((c) => c.verdict === word).length)} ${verdictOf(word).label}`}
          </button>
        ))}
      </div>
      <table class="claim-table">
        <thead>
          <tr>
            <th scope="col">The paper says</th>
            <th scope="col">Holds if</th>
            <th scope="col">Measured</th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((claim, i) => (
            <tr key={claim.id || i} data-claim={claim.id}>
              <th scope="row">
                {claim.statement}
                <span class="place">{claim.place}</span>
              </th>
              <td data-title="Holds if">{claim.rule}</td>
              <td data-title="Measured">
                <ul class="cases">
                  {claim.cases.map((one, j) => (
                    <li key={j}>
                      <span
                        class={one.holds === null ? '' : one.holds ? 'good' : 'bad'}
                        aria-label={one.holds ? 'yes:' : 'no:'}
                      >
                        {one.holds === null ? '–' : one.holds ? '✓' : '✗'}
                      </span>{' '}
                      {one.measured}
                    </li>
                  ))}
                </ul>
              </td>
              <td>
                <span class={`verdict ${verdictOf(claim.verdict).kind}`}>
                  <span aria-hidden="true">{verdictOf(claim.verdict).sign}</span>{' '}
                  {claim.verdict || 'not judged'}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Experiments({ experiments }: { experiments: readonly Experiment[] }) {
  const { model } = usePage();
  const [sort, setSort] = useChoice('sort', '');
  const sources = new Map(model.points.map((p) => [p.source.name, p.task]));
  const runs = (e: Experiment) => e.points.reduce((sum, p) => sum + p.val_loss.length, 0);
  const diverged = (e: Experiment) => e.points.reduce((sum, p) => sum + p.diverged, 0);
  return (
    <div id="experiments">
      <h3>Experiments</h3>
      <p class="note">{`${plural(experiments.length, 'experiment')}, ${plural(
        experiments.reduce((sum, e) => sum + runs(e), 0),
        'run',
      )}.`}</p>
      <Table
        label="Experiments"
        rows={experiments}
        rowKey={(e) => e.name}
        sort={sort}
        onSort={setSort}
        columns={[
          {
            key: 'name',
            title: 'Experiment',
            order: (e) => e.name,
            cell: (e) =>
              sources.has(e.name) ? (
                <a href={hashOf('curves', linkParams(sources.get(e.name)!, e.name))}>{e.name}</a>
              ) : (
                e.name
              ),
          },
          { key: 'title', title: 'What', minor: true, cell: (e) => e.title },
          {
            key: 'points',
            title: 'Points',
            numeric: true,
            order: (e) => e.points.length,
            cell: (e) => count(e.points.length),
          },
          { key: 'runs', title: 'Runs', numeric: true, order: runs, cell: (e) => count(runs(e)) },
          {
            key: 'diverged',
            title: 'Diverged',
            numeric: true,
            order: diverged,
            cell: (e) => count(diverged(e)),
          },
          {
            key: 'time',
            title: 'Time',
            numeric: true,
            order: (e) => e.run_seconds ?? 0,
            cell: (e) => duration(e.run_seconds),
          },
        ]}
      />
    </div>
  );
}
