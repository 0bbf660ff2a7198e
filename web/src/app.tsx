// SPDX-License-Identifier: MIT
// The frame: title, sections, theme, state of the connection.
import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Report } from './data';
import { plural } from './format';
import { type Connection, follow } from './live';
import { makeModel, type Model } from './model';
import { Curves } from './sections/curves';
import { Hyper } from './sections/hyper';
import { hasHyper } from './sections/hyper_data';
import { LeftOut } from './sections/left_out';
import { Overview } from './sections/overview';
import { Reproduction } from './sections/reproduction';
import { RunPage } from './sections/run';
import { Runs } from './sections/runs';
import { Spectra } from './sections/spectra';
import { applyChoice, storedChoice, systemTheme, type Theme, type ThemeChoice } from './theme';
import { hashOf, PageContext, useView } from './view';

interface SectionEntry {
  readonly key: string;
  readonly title: string;
  readonly view: ComponentType;
  /** Whether there is anything for it to show. */
  readonly has: (model: Model) => boolean;
}

const SECTIONS: readonly SectionEntry[] = [
  { key: 'overview', title: 'Overview', view: Overview, has: (m) => m.points.length > 0 },
  { key: 'curves', title: 'Curves', view: Curves, has: (m) => m.points.length > 0 },
  { key: 'hyper', title: 'Hyper-parameters', view: Hyper, has: hasHyper },
  {
    key: 'spectra',
    title: 'Spectra',
    view: Spectra,
    has: (m) => m.report.runs.some((run) => run.spectra),
  },
  {
    key: 'reproduction',
    title: 'Reproduction',
    view: Reproduction,
    has: (m) => m.report.reproduction !== null,
  },
  { key: 'runs', title: 'Runs', view: Runs, has: (m) => m.points.length > 0 },
];

function useTheme(): [Theme, ThemeChoice, (choice: ThemeChoice) => void] {
  const [choice, setChoice] = useState<ThemeChoice>(storedChoice);
  const [system, setSystem] = useState<Theme>(systemTheme);
  // Before the screen is painted: the style sheet's colours and the figures' change together.
  useLayoutEffect(() => applyChoice(choice), [choice]);
  useLayoutEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const listen = () => setSystem(systemTheme());
    query.addEventListener('change', listen);
    return () => query.removeEventListener('change', listen);
  }, []);
  return [choice === 'auto' ? system : choice, choice, setChoice];
}

function useReport(first: Report, live: boolean): [Report, Connection] {
  const [report, setReport] = useState(first);
  const [connection, setConnection] = useState<Connection>('off');
  const current = useRef(first);
  useEffect(() => {
    if (!live) return;
    return follow({
      current: () => current.current,
      onReport: (next) => {
        current.current = next;
        setReport(next);
      },
      onConnection: setConnection,
    });
  }, [live]);
  return [report, connection];
}

export function App(props: { report: Report; live: boolean }) {
  const [report, connection] = useReport(props.report, props.live);
  const model = useMemo(() => makeModel(report), [report]);
  const [view, change] = useView();
  const [theme, choice, setChoice] = useTheme();
  const sections = SECTIONS.filter((section) => section.has(model));
  const inRuns = view.section === 'run';
  const section = sections.find((s) => s.key === (inRuns ? 'runs' : view.section)) ?? sections[0];
  const title = report.title || 'Sven report';
  const page = useMemo(() => ({ model, theme, view, change }), [model, theme, view, change]);
  useEffect(() => {
    document.title = section ? `${section.title} – ${title}` : title;
  }, [section, title]);
  // A new section begins at its top, or where the address says, and is where the
  // keyboard goes on; nobody sees it scrolled as the last one was.
  const place = inRuns ? `run ${view.params.get('id')}` : section?.key;
  const before = useRef(place);
  useLayoutEffect(() => {
    if (before.current === place) return;
    before.current = place;
    if (!view.params.has('at')) scrollTo(0, 0);
    document.getElementById('section-title')?.focus({ preventScroll: true });
  }, [place]);
  const task = view.params.get('task');
  const Shown = inRuns ? RunPage : section?.view;
  return (
    <PageContext.Provider value={page}>
      <a
        class="skip"
        href="#main"
        onClick={(e) => {
          e.preventDefault();
          document.getElementById('section-title')?.focus();
        }}
      >
        Skip to the content
      </a>
      <header>
        <div class="masthead">
          <h1>{title}</h1>
          <p class="muted">
            {[
              plural(report.runs.length, 'run'),
              report.version && `sven ${report.version}`,
              report.generated,
            ]
              .filter((w) => w)
              .join(' · ')}
          </p>
          <div class="masthead-tools">
            {props.live && <Live connection={connection} />}
            <ThemeButton choice={choice} onChange={setChoice} />
          </div>
        </div>
      </header>
      <nav aria-label="Sections">
        <ul>
          {sections.map((s) => (
            <li key={s.key}>
              <a
                href={hashOf(
                  s.key,
                  task && s.key !== 'runs' && s.key !== 'overview' ? { task } : {},
                )}
                aria-current={s === section ? 'page' : undefined}
              >
                {s.title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="main">
        {Shown && section ? (
          <Guard key={`${section.key} ${inRuns}`} report={report}>
            <Shown />
          </Guard>
        ) : (
          <Nothing report={report} waiting={props.live} />
        )}
      </main>
    </PageContext.Provider>
  );
}

function Nothing(props: { report: Report; waiting: boolean }) {
  return (
    <section class="section">
      <h2 id="section-title" tabIndex={-1}>
        No runs
      </h2>
      <p class="lead">
        {props.waiting
          ? 'A run is shown here as soon as its first epoch has ended.'
          : 'There is nothing to show: no folder with a run was found.'}
      </p>
      <LeftOut report={props.report} />
    </section>
  );
}

const CONNECTIONS: { readonly [state in Connection]: string } = {
  off: '',
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, trying again',
};

function Live({ connection }: { connection: Connection }) {
  return (
    <span class={`live ${connection}`} role="status" data-connection={connection}>
      <span class="light" aria-hidden="true" />
      {CONNECTIONS[connection]}
    </span>
  );
}

function ThemeButton(props: { choice: ThemeChoice; onChange: (choice: ThemeChoice) => void }) {
  const next: { readonly [choice in ThemeChoice]: ThemeChoice } = {
    auto: 'light',
    light: 'dark',
    dark: 'auto',
  };
  const words: { readonly [choice in ThemeChoice]: string } = {
    auto: 'as the system',
    light: 'light',
    dark: 'dark',
  };
  return (
    <button
      type="button"
      class="theme"
      onClick={() => props.onChange(next[props.choice])}
      aria-label={`Colours: ${words[props.choice]}. Change to ${words[next[props.choice]]}.`}
    >
      {props.choice === 'auto' ? '◐ Auto' : props.choice === 'light' ? '○ Light' : '● Dark'}
    </button>
  );
}

/** A section that fails says so, and leaves the others as they are. */
class Guard extends Component<
  { children: ComponentChildren; report: Report },
  { failure: string | null }
> {
  override state = { failure: null };

  // Other data may do.
  override componentDidUpdate(before: { report: Report }) {
    if (this.state.failure !== null && before.report !== this.props.report)
      this.setState({ failure: null });
  }

  static override getDerivedStateFromError(error: unknown) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    return this.state.failure === null ? (
      this.props.children
    ) : (
      <p class="lead bad" role="alert">{`This section cannot be shown: ${this.state.failure}`}</p>
    );
  }
}
