// SPDX-License-Identifier: MIT
import { createHash } from 'node:crypto';
import { defineConfig } from 'vite';

/**
 * One file without any other: script and style go into the page, and the
 * Content-Security-Policy names their hashes, so that nothing else can run.
 * (The block with the data is not a script to the browser, and needs no hash.)
 */
function singleFile() {
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return {
    name: 'single-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const page = files.find((file) => file.fileName.endsWith('.html'));
      // An end tag inside a string of the script would end the script.
      const script = files
        .find((file) => file.type === 'chunk')
        .code.replaceAll('</script', '<\\/script')
        .trim();
      const style = String(files.find((file) => file.fileName.endsWith('.css')).source).trim();
      const policy = [
        "default-src 'none'",
        `script-src ${hash(script)}`,
        `style-src ${hash(style)}`,
        'img-src data: blob:',
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        // With this, assigning text to innerHTML and the like is an error.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join('; ');
      const html = String(page.source)
        .replace(/\s*<script type="module"[^>]*src=[^>]*><\/script>/g, '')
        .replace(/\s*<link rel="stylesheet"[^>]*>/g, '')
        .replace(
          '<!--policy-->',
          () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
        )
        .replace('<!--style-->', () => `<style>${style}</style>`)
        .replace('<!--script-->', () => `<script type="module">${script}</script>`);
      for (const file of files) delete bundle[file.fileName];
      this.emitFile({ type: 'asset', fileName: 'report.html', source: html });
    },
  };
}

export default defineConfig({
  plugins: [singleFile()],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rollupOptions: { input: 'report.html' },
  },
});
