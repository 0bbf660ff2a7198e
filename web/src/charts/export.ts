// SPDX-License-Identifier: MIT
// A figure as a file: its panels, titles and legend in one SVG that needs no
// style sheet, or as PNG made from that; and its data as CSV.
import type { LegendEntry } from './legend';

const SVG = 'http://www.w3.org/2000/svg';
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'stroke-linejoin',
  'opacity',
  'font-size',
  'font-family',
  'font-weight',
  'text-anchor',
];
const LEGEND_LINE = 20;

export interface Rows {
  readonly header: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

function element(
  name: string,
  attributes: { [name: string]: string | number },
  text?: string,
): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** A copy in which the style sheet's say is written down as attributes. */
function styledCopy(original: SVGSVGElement): SVGSVGElement {
  // As it is when nothing is pointed at.
  const lit = original.classList.contains('some-lit');
  original.classList.add('still');
  original.classList.remove('some-lit');
  const copy = original.cloneNode(true) as SVGSVGElement;
  const from = [original, ...original.querySelectorAll('*')];
  const to = [copy, ...copy.querySelectorAll('*')];
  from.forEach((source, i) => {
    const style = getComputedStyle(source);
    const target = to[i]!;
    target.removeAttribute('tabindex');
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value) target.setAttribute(name, value);
    }
  });
  original.classList.remove('still');
  if (lit) original.classList.add('some-lit');
  for (const near of copy.querySelectorAll('.near')) near.remove();
  for (const target of to) target.removeAttribute('class');
  return copy;
}

function textWidth(text: string): number {
  const context = document.createElement('canvas').getContext('2d')!;
  context.font = '12px sans-serif';
  return context.measureText(text).width;
}

/** Entries in as many lines as they need; returns the height. */
function drawLegend(
  into: SVGElement,
  entries: readonly LegendEntry[],
  width: number,
  top: number,
  ink: string,
): number {
  let x = 8;
  let y = top + 14;
  for (const entry of entries) {
    const room = 30 + textWidth(entry.label) + 16;
    if (x + room > width && x > 8) {
      x = 8;
      y += LEGEND_LINE;
    }
    into.append(
      element('line', {
        x1: x,
        x2: x + 22,
        y1: y - 4,
        y2: y - 4,
        stroke: entry.colour,
        'stroke-width': 2.2,
        'stroke-dasharray': entry.dash ?? '',
      }),
      element(
        'text',
        { x: x + 28, y, fill: ink, 'font-size': 12, 'font-family': 'sans-serif' },
        entry.label,
      ),
    );
    x += room;
  }
  return entries.length > 0 ? y - top + 12 : 0;
}

/** All panels of the figure where they stand on the screen, under one title. */
export function composeSvg(
  figure: HTMLElement,
  title: string,
  legend: readonly LegendEntry[],
): SVGSVGElement {
  const charts = [...figure.querySelectorAll<SVGSVGElement>('svg.chart')];
  if (charts.length === 0) throw new Error('nothing is drawn yet');
  const boxes = charts.map((chart) => chart.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const page = getComputedStyle(document.body);
  const ink = page.color;
  const width = Math.ceil(Math.max(...boxes.map((box) => box.right)) - left) + 16;
  const whole = element('svg', { xmlns: SVG }) as SVGSVGElement;
  whole.append(element('title', {}, title));
  const ground = element('rect', { width: '100%', height: '100%', fill: page.backgroundColor });
  whole.append(ground);
  whole.append(
    element(
      'text',
      { x: 8, y: 22, fill: ink, 'font-size': 15, 'font-weight': 600, 'font-family': 'sans-serif' },
      title,
    ),
  );
  const start =
    34 +
    drawLegend(
      whole,
      legend.filter((entry) => !entry.off),
      width,
      34,
      ink,
    ) +
    18;
  charts.forEach((chart, i) => {
    const copy = styledCopy(chart);
    const x = boxes[i]!.left - left + 8;
    const y = boxes[i]!.top - top + start;
    copy.setAttribute('x', String(x));
    copy.setAttribute('y', String(y));
    if (chart.dataset.title) {
      whole.append(
        element(
          'text',
          {
            x: x + 4,
            y: y - 4,
            fill: ink,
            'font-size': 12.5,
            'font-weight': 600,
            'font-family': 'sans-serif',
          },
          chart.dataset.title,
        ),
      );
    }
    whole.append(copy);
  });
  const height = Math.ceil(Math.max(...boxes.map((box) => box.bottom)) - top + start + 8);
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
    whole.setAttribute(name, String(value));
  return whole;
}

export function svgText(svg: SVGSVGElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}\n`;
}

/** Twice the size, for print and for fine screens. */
export async function toPng(svg: SVGSVGElement, scale = 2): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svgText(svg)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new Error('the figure could not be drawn'));
      image.src = address;
    });
    const canvas = document.createElement('canvas');
    canvas.width = Number(svg.getAttribute('width')) * scale;
    canvas.height = Number(svg.getAttribute('height')) * scale;
    const context = canvas.getContext('2d')!;
    context.scale(scale, scale);
    context.drawImage(image, 0, 0);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no PNG'))), 'image/png'),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}

/**
 * RFC 4180, numbers in full. A text that a spreadsheet would take for a formula
 * gets an apostrophe before it.
 */
export function csvText(table: Rows): string {
  const cell = (value: string | number | null) => {
    if (value === null) return '';
    if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [table.header, ...table.rows].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

export function save(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 120);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
