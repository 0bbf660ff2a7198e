// SPDX-License-Identifier: MIT
// What could not be shown: files that were skipped, and fields of the document.
import type { Report } from '../data';
import { plural } from '../format';

export function LeftOut({ report }: { report: Report }) {
  const { skipped, problems } = report;
  if (skipped.length + problems.length === 0) return null;
  return (
    <div class="left-out" id="left-out">
      <h3>Left out</h3>
      {skipped.length > 0 && (
        <details open={skipped.length <= 10}>
          <summary>{`${plural(skipped.length, 'file')} skipped`}</summary>
          <dl class="reasons">
            {skipped.slice(0, 500).map((file, i) => (
              <div key={i}>
                <dt>{file.path || '(no name)'}</dt>
                <dd>{file.reason}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {problems.length > 0 && (
        <details>
          <summary>{`${plural(problems.length, 'field')} of the data not as expected`}</summary>
          <ul class="reasons">
            {problems.map((problem, i) => (
              <li key={i}>{problem}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
