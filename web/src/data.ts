// SPDX-License-Identifier: MIT
// The document that the page shows, after it has been read and checked.
// web/DATA.md describes the JSON that it comes from; read.ts turns one into the other.

/** A setting as the record of a run has it; "none" is a word of its own there. */
export type Setting = string | number | boolean;
export type Settings = { readonly [name: string]: Setting };

/** One value per epoch; null where it was not finite or is missing. */
export type Column = readonly (number | null)[];

/** Where runs come from: a folder that was named, or a scan inside of it. */
export interface Source {
  readonly name: string;
  readonly title: string;
  readonly kind: 'run' | 'scan';
  readonly path: string;
}

/** What many runs have in common, kept once. */
export interface Base {
  readonly version: string;
  readonly machine: Settings;
  readonly settings: Settings;
}

export interface Epochs {
  readonly epoch: readonly number[];
  readonly step: Column;
  readonly seconds: Column;
  readonly train_loss: Column;
  readonly val_loss: Column;
  readonly train_accuracy: Column | null;
  readonly val_accuracy: Column | null;
  readonly batch_loss: Column | null;
  readonly learning_rate: Column | null;
  readonly update_norm: Column | null;
  readonly kept: Column | null;
}

/** Validations between the ends of epochs, if any were asked for. */
export interface Checks {
  readonly step: Column;
  readonly seconds: Column;
  readonly val_loss: Column;
}

/** s_i / s_1 by index i, one list for each of the epochs. */
export interface Spectra {
  readonly epoch: readonly number[];
  readonly values: readonly Column[];
}

export const STATUSES = [
  'completed',
  'target_loss',
  'early_stopped',
  'rounding',
  'time_limit',
  'diverged',
  'running',
  'interrupted',
] as const;
export type Status = (typeof STATUSES)[number] | 'unknown';

export interface Run {
  readonly id: string;
  readonly source: number;
  readonly base: Base;
  /** Settings in which the run differs from its base. */
  readonly own: Settings;
  readonly status: Status;
  readonly final_train_loss: number | null;
  readonly final_val_loss: number | null;
  readonly best_val_loss: number | null;
  readonly best_epoch: number | null;
  readonly initial_val_loss: number | null;
  readonly final_val_accuracy: number | null;
  readonly steps: number | null;
  readonly train_seconds: number | null;
  readonly total_seconds: number | null;
  readonly diverged_at_step: number | null;
  readonly refused: number | null;
  /** Bytes. */
  readonly peak_memory: number | null;
  readonly epochs: Epochs;
  readonly checks: Checks | null;
  /** Seconds of all steps by what they went into. */
  readonly phases: { readonly [phase: string]: number };
  readonly spectra: Spectra | null;
  /** As it was called. */
  readonly command: string;
  /** What does it again; empty: made from the settings. */
  readonly again: string;
}

/** Losses of one curve over several seeds, as results.json has them. */
export interface Band {
  readonly mean: Column;
  readonly median: Column | null;
  readonly deviation: Column | null;
}

export interface ResultPoint {
  readonly optimizer: string;
  readonly settings: Settings;
  readonly val_loss: Column;
  readonly diverged: number;
  readonly validation: Band | null;
  readonly train: Band | null;
  readonly seconds: Column;
  readonly spectra: readonly Column[] | null;
}

export interface Experiment {
  readonly name: string;
  readonly title: string;
  readonly task: string;
  readonly batch_size: number | null;
  readonly initial_loss: number | null;
  readonly run_seconds: number | null;
  readonly missing: number;
  readonly points: readonly ResultPoint[];
}

export interface Claim {
  readonly id: string;
  readonly statement: string;
  readonly place: string;
  readonly rule: string;
  readonly verdict: string;
  readonly cases: readonly { readonly measured: string; readonly holds: boolean | null }[];
}

export interface Reproduction {
  readonly experiments: readonly Experiment[];
  readonly claims: readonly Claim[];
}

export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

export interface Report {
  readonly version: string;
  readonly title: string;
  readonly generated: string;
  /** Of the server, in live mode: another one means that it began anew. */
  readonly session: string;
  readonly revision: number;
  readonly sources: readonly Source[];
  readonly bases: readonly Base[];
  readonly runs: readonly Run[];
  readonly reproduction: Reproduction | null;
  readonly skipped: readonly Skipped[];
  /** Defaults by optimizer; "" has those of every run. Left out of commands. */
  readonly defaults: { readonly [optimizer: string]: Settings };
  /** What in the document was missing or of the wrong kind. */
  readonly problems: readonly string[];
}

/** The setting of a run, or undefined if it has none of that name. */
export function setting(run: Run, name: string): Setting | undefined {
  const value = Object.hasOwn(run.own, name)
    ? run.own[name]
    : Object.hasOwn(run.base.settings, name)
      ? run.base.settings[name]
      : undefined;
  return value;
}

export function allSettings(run: Run): Settings {
  return { ...run.base.settings, ...run.own };
}
