// SPDX-License-Identifier: MIT
// The reproduction of the paper: experiments as in results.json, and claims.
import type { Band, Claim, Experiment, Reproduction, ResultPoint } from './data';
import type { Reader } from './reader';

function readBand(reader: Reader, value: unknown, place: string): Band | null {
  if (value === undefined || value === null) return null;
  const json = reader.object(value, place);
  const optional = (name: string) =>
    json[name] === undefined ? null : reader.column(json[name], `${place}.${name}`);
  return {
    mean: reader.column(json.mean, `${place}.mean`),
    median: optional('median'),
    deviation: optional('deviation'),
  };
}

function readPoint(reader: Reader, value: unknown, place: string): ResultPoint {
  const json = reader.object(value, place);
  const steps = reader.column(json.diverged_at_step, `${place}.diverged_at_step`);
  return {
    optimizer: reader.text(json.optimizer, `${place}.optimizer`),
    settings: reader.settings(json.settings, `${place}.settings`),
    val_loss: reader.column(json.val_loss, `${place}.val_loss`),
    diverged: steps.filter((step) => step !== null && step > 0).length,
    validation: readBand(reader, json.validation, `${place}.validation`),
    train: readBand(reader, json.train, `${place}.train`),
    seconds: reader.column(json.seconds, `${place}.seconds`),
    spectra:
      json.spectra === undefined
        ? null
        : reader
            .list(json.spectra, `${place}.spectra`)
            .map((spectrum, i) => reader.column(spectrum, `${place}.spectra[${i}]`)),
  };
}

function readExperiment(reader: Reader, value: unknown, index: number): Experiment {
  const json = reader.object(value, `experiments[${index}]`);
  const name = reader.text(json.name, `experiments[${index}].name`);
  const place = `experiment ${name}`;
  return {
    name,
    title: reader.text(json.title, `${place}.title`, name),
    task: reader.text(json.task, `${place}.task`),
    batch_size: reader.number(json.batch_size, `${place}.batch_size`),
    initial_loss: reader.number(json.initial_loss, `${place}.initial_loss`),
    run_seconds: reader.number(json.run_seconds, `${place}.run_seconds`),
    missing: reader.number(json.missing, `${place}.missing`) ?? 0,
    points: reader
      .list(json.points, `${place}.points`)
      .map((point, i) => readPoint(reader, point, `${place}.points[${i}]`)),
  };
}

function readClaim(reader: Reader, value: unknown, index: number): Claim {
  const place = `claims[${index}]`;
  const json = reader.object(value, place);
  const text = (name: string) => reader.text(json[name], `${place}.${name}`);
  return {
    id: text('id'),
    statement: text('statement'),
    place: text('place'),
    rule: text('rule'),
    verdict: text('verdict'),
    cases: reader.list(json.cases, `${place}.cases`).map((entry, i) => {
      const one = reader.object(entry, `${place}.cases[${i}]`);
      return {
        measured: reader.text(one.measured, `${place}.cases[${i}].measured`),
        holds: typeof one.holds === 'boolean' ? one.holds : null,
      };
    }),
  };
}

export function readReproduction(reader: Reader, value: unknown): Reproduction | null {
  if (value === undefined || value === null) return null;
  const json = reader.object(value, 'reproduction');
  const experiments = reader
    .list(json.experiments, 'reproduction.experiments')
    .map((experiment, i) => readExperiment(reader, experiment, i));
  const claims = reader
    .list(json.claims, 'reproduction.claims')
    .map((claim, i) => readClaim(reader, claim, i));
  return experiments.length + claims.length > 0 ? { experiments, claims } : null;
}
