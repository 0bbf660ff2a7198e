// SPDX-License-Identifier: MIT
// The command that does a run again.
import { allSettings, type Report, type Run, type Setting, type Settings } from './data';

/** For a POSIX shell: names of files come from anywhere, and are pasted by people. */
export function quoted(word: string): string {
  return /^[A-Za-z0-9_.,:\/+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The record has them always, but `sven train` refuses them beside a task. */
const OF_FILES = ['validation', 'split_seed', 'standardise'];

function isUnset(name: string, value: Setting, settings: Settings): boolean {
  const hasTask = settings.task !== undefined && settings.task !== '' && settings.task !== 'none';
  return (
    value === '' ||
    value === 'none' ||
    value === 'default' ||
    (hasTask && OF_FILES.includes(name)) ||
    (name === 'huber_delta' && settings.loss !== 'huber')
  );
}

/** Order in which people say things; all else follows by name. */
const FIRST = [
  'task',
  'data',
  'target',
  'optimizer',
  'lr',
  'k',
  'rtol',
  'epochs',
  'batch_size',
  'hidden',
  'seed',
];

function rank(name: string): number {
  const at = FIRST.indexOf(name);
  return at < 0 ? FIRST.length : at;
}

/**
 * From the settings of the record, as the command in it may name files of a
 * scan that are gone. What has its default is left out where defaults are known.
 */
export function commandOf(report: Report, run: Run): string {
  if (run.again) return run.again;
  const settings = allSettings(run);
  const defaults = { ...report.defaults[''], ...report.defaults[String(settings.optimizer)] };
  const words = Object.entries(settings)
    // Control characters have no place in a command that is pasted.
    .filter(
      ([name, value]) =>
        /^[a-z][a-z0-9_]*$/.test(name) &&
        !isUnset(name, value, settings) &&
        !/[\u0000-\u001f\u007f]/.test(String(value)),
    )
    .filter(([name, value]) => !(Object.hasOwn(defaults, name) && defaults[name] === value))
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map(([name, value]) => {
      const option = `--${name.replaceAll('_', '-')}`;
      const text = quoted(String(value));
      return String(value).startsWith('-') ? `${option}=${text}` : `${option} ${text}`;
    });
  return ['sven train', ...words].join(' ');
}
