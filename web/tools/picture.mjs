// SPDX-License-Identifier: MIT
// A picture of a report, as wide as a small screen:
//
//   node tools/picture.mjs REPORT.html PICTURE.png [HASH] [HEIGHT] [light|dark]
import { resolve } from 'node:path';
import { chromium } from 'playwright-core';

const [report, picture, hash = '#curves', height = '800', colorScheme = 'light'] =
  process.argv.slice(2);
if (!picture) {
  console.error('usage: picture.mjs REPORT.html PICTURE.png [HASH] [HEIGHT] [light|dark]');
  process.exit(2);
}
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage({
  viewport: { width: 1280, height: Number(height) },
  colorScheme,
});
await page.goto(`file://${resolve(report)}${hash}`);
await page.waitForSelector('h2');
await page.waitForTimeout(500);
await page.screenshot({ path: picture });
await browser.close();
