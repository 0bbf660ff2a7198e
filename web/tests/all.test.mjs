// SPDX-License-Identifier: MIT
// All tests in one process, so that they share a browser.
await import('./build.mjs');
await import('./sections.mjs');
await import('./reproduction.mjs');
await import('./robust.mjs');
await import('./people.mjs');
await import('./live.mjs');
await import('./program.mjs');
