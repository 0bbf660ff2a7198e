// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

test('the page that is kept is the one that the sources make', async (t) => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const outDir = mkdtempSync(join(tmpdir(), 'sven-build-'));
  t.after(() => rmSync(outDir, { recursive: true }));
  await build({ root, logLevel: 'error', build: { outDir } });
  const made = readFileSync(join(outDir, 'report.html'), 'utf8');
  assert.ok(
    made === readFileSync(join(root, 'dist/report.html'), 'utf8'),
    'npm run build makes another page: commit it',
  );
});
