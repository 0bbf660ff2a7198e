// SPDX-License-Identifier: MIT
import { render } from 'preact';
import { App } from './app';
import { readReport } from './read';
import type { Report } from './data';
import './style.css';

function embedded(block: HTMLElement | null): Report {
  const text = block?.textContent ?? 'null';
  try {
    const value: unknown = JSON.parse(text);
    // A live page may come without data; a report that has none says so.
    return value === null && block?.dataset.live !== undefined
      ? readReport({ format: 'sven-report-1' })
      : readReport(value);
  } catch (error) {
    const report = readReport({ format: 'sven-report-1' });
    return { ...report, problems: [`document: not JSON (${(error as Error).message})`] };
  }
}

const block = document.getElementById('sven-data');
const page = document.getElementById('page')!;
page.replaceChildren();
const live = block?.dataset.live !== undefined && location.protocol.startsWith('http');
render(<App report={embedded(block)} live={live} />, page);
