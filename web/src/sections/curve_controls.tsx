// SPDX-License-Identifier: MIT
import { settingText } from '../format';
import { Segmented, Select } from '../ui';
import { useOneOf, usePage } from '../view';
import type { CurveChoice } from './curve_choice';
import { SourceSelect, TaskSelect, useSource } from './selects';

export const ABSCISSAE = ['epoch', 'step', 'seconds'] as const;
export const LOG_FIRST = ['log', 'linear'] as const;
export const LINEAR_FIRST = ['linear', 'log'] as const;
export const BANDS = ['sigma', 'none'] as const;

/** All that can be chosen above the curves; the choices are in the address. */
export function CurveControls({ choice, bands }: { choice: CurveChoice; bands: boolean }) {
  const { change } = usePage();
  const { task, filters, by, narrowed } = choice;
  const [source, setSource] = useSource(task.points);
  const [show, setShow] = useOneOf('show', ['best', 'all']);
  const [x, setX] = useOneOf('x', ABSCISSAE);
  const [y, setY] = useOneOf('y', LOG_FIRST);
  const [xScale, setXScale] = useOneOf('xs', LINEAR_FIRST);
  const [band, setBand] = useOneOf('band', BANDS);
  const reset = () =>
    change(Object.fromEntries([...filters.map((f) => [`s.${f.name}`, null]), ['off', null]]));
  return (
    <>
      <div class="controls">
        <TaskSelect />
        <SourceSelect points={task.points} value={source} onChange={setSource} />
        <Segmented
          label="Points"
          value={show}
          onChange={setShow}
          options={[
            { value: 'best', label: 'best of each optimizer' },
            { value: 'all', label: 'all' },
          ]}
        />
      </div>
      {filters.length > 0 && (
        <details class="filters" open={filters.some((f) => f.value)}>
          <summary>Settings</summary>
          <div class="controls">
            {filters.map((f) => (
              <Select
                key={f.name}
                label={f.name}
                value={f.value}
                onChange={(value) => change({ [`s.${f.name}`]: value })}
                options={[
                  { value: '', label: 'any' },
                  ...f.values.map((v) => ({ value: String(v), label: settingText(v) })),
                ]}
              />
            ))}
            {narrowed && (
              <button type="button" class="plain" onClick={reset}>
                Show all again
              </button>
            )}
          </div>
        </details>
      )}
      <div class="controls">
        <Segmented
          label="Against"
          value={x}
          onChange={setX}
          options={[
            { value: 'epoch', label: 'epoch' },
            { value: 'step', label: 'step' },
            { value: 'seconds', label: 'seconds' },
          ]}
        />
        <Segmented
          label="x axis"
          value={xScale}
          onChange={setXScale}
          options={[
            { value: 'linear', label: 'linear' },
            { value: 'log', label: 'log' },
          ]}
        />
        <Segmented
          label="Loss axis"
          value={y}
          onChange={setY}
          options={[
            { value: 'log', label: 'log' },
            { value: 'linear', label: 'linear' },
          ]}
        />
        {filters.length > 0 && (
          <Select
            label="Colour by"
            value={by}
            onChange={(value) => change({ off: null, by: value === 'optimizer' ? null : value })}
            options={['optimizer', ...filters.map((f) => f.name)].map((value) => ({
              value,
              label: value,
            }))}
          />
        )}
        {bands && (
          <Segmented
            label="Band"
            value={band}
            onChange={setBand}
            options={[
              { value: 'sigma', label: '±1σ' },
              { value: 'none', label: 'none' },
            ]}
          />
        )}
      </div>
    </>
  );
}
