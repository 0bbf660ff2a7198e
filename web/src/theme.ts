// SPDX-License-Identifier: MIT
// Colours. Those of the optimizers are Okabe and Ito's, which colour-blind people
// can tell apart, and are the same in all figures; further optimizers share
// them with another dash.
export type Theme = 'light' | 'dark';
export type ThemeChoice = Theme | 'auto';

interface Ink {
  readonly colour: string;
  readonly dash: string;
}

// As seen on white and on black.
const COLOURS: { readonly [name: string]: readonly [string, string] } = {
  vermilion: ['#d55e00', '#f07a2a'],
  blue: ['#0072b2', '#4da6e0'],
  sky: ['#3a9bdc', '#8fd0ff'],
  grey: ['#666666', '#a8a8a8'],
  pink: ['#c0629a', '#e59bc6'],
  green: ['#00865f', '#2bc492'],
  amber: ['#b87a00', '#f0b429'],
  violet: ['#5b4a9e', '#a99bee'],
  ink: ['#26282c', '#dcdee2'],
};

const DASHES = ['', '6 3', '2 2.5', '8 3 2 3'];

const OPTIMIZERS: { readonly [name: string]: readonly [keyof typeof COLOURS, number] } = {
  sven: ['vermilion', 0],
  adam: ['blue', 0],
  rmsprop: ['sky', 0],
  sgd: ['grey', 0],
  polyak: ['pink', 0],
  lbfgs: ['green', 0],
  levenberg_marquardt: ['amber', 0],
  kfac: ['violet', 0],
  half_inverse: ['vermilion', 1],
  adamw: ['blue', 1],
  lion: ['sky', 1],
  muon: ['grey', 1],
  jacobian_descent: ['pink', 1],
  gauss_newton: ['green', 1],
  natural_gradient: ['amber', 1],
  shampoo: ['violet', 1],
  spring: ['vermilion', 2],
  schedule_free_adamw: ['blue', 2],
  minsr: ['green', 2],
  soap: ['violet', 2],
};

export function optimizerInk(name: string, theme: Theme): Ink {
  let [colour, dash] = Object.hasOwn(OPTIMIZERS, name) ? OPTIMIZERS[name]! : ['', 0];
  if (!colour) {
    // Unknown ones too keep their colour from page to page.
    let sum = 0;
    for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 9973;
    const names = Object.keys(COLOURS).filter((known) => known !== 'ink');
    colour = names[sum % names.length]!;
    dash = 3;
  }
  return { colour: COLOURS[colour]![theme === 'light' ? 0 : 1], dash: DASHES[dash]! };
}

/** Colours that stand for a data set or a kind of curve, not for an optimizer. */
export function namedColour(name: keyof typeof COLOURS, theme: Theme): string {
  return COLOURS[name]![theme === 'light' ? 0 : 1];
}

// Viridis, which grows evenly in lightness.
const VIRIDIS = [
  '#440154',
  '#482878',
  '#3e4a89',
  '#31688e',
  '#26828e',
  '#1f9e89',
  '#35b779',
  '#6ece58',
  '#b5de2b',
  '#fde725',
];

function channel(hex: string, at: number): number {
  return parseInt(hex.slice(1 + 2 * at, 3 + 2 * at), 16);
}

export function viridis(share: number): string {
  const at = Math.min(Math.max(share, 0), 1) * (VIRIDIS.length - 1);
  const low = VIRIDIS[Math.floor(at)]!;
  const high = VIRIDIS[Math.ceil(at)]!;
  const mixed = [0, 1, 2].map((c) =>
    Math.round(channel(low, c) + (channel(high, c) - channel(low, c)) * (at % 1)),
  );
  return `#${mixed.map((v) => v.toString(16).padStart(2, '0')).join('')}`;
}

/** The i-th of so many ordered values: the ends that the background swallows are left out. */
export function ramp(i: number, count: number, theme: Theme): string {
  const share = count > 1 ? i / (count - 1) : 0.4;
  return theme === 'light' ? viridis(0.02 + 0.8 * share) : viridis(0.98 - 0.75 * (1 - share));
}

/** Black or white, whichever reads better on the colour. */
export function inkOn(hex: string): string {
  const [r, g, b] = [0, 1, 2].map((c) => (channel(hex, c) / 255) ** 2.2) as [
    number,
    number,
    number,
  ];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.3 ? '#111111' : '#ffffff';
}

const STORED = 'sven-theme';

export function storedChoice(): ThemeChoice {
  try {
    const value = localStorage.getItem(STORED);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto'; // Storage may be closed to files.
  }
}

/** Sets what the style sheet looks at, and remembers it for the next page. */
export function applyChoice(choice: ThemeChoice): void {
  if (choice === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  try {
    if (choice === 'auto') localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, choice);
  } catch {
    // Then it holds for this page only.
  }
}

export function systemTheme(): Theme {
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
