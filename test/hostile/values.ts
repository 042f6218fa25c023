import type { Random } from '../oracle/random.ts';

/** What stands for something that JSON.stringify cannot write, or not in that way, until the text is made. */
export interface Raw {
  /** A text that is written as JSON in place of itself. */
  stand(json: string): string;
  /** The text with everything in its place. */
  written(value: unknown): string;
}

/** More than any server reads. */
const MOST_WRITTEN = 50_000_000;

export function raw(): Raw {
  const texts: string[] = [];
  return {
    stand: (json) => `@raw ${texts.push(json) - 1}@`,
    written(value) {
      let length = 0;
      return (JSON.stringify(value) ?? '').replace(/"@raw (\d+)@"/g, (whole, index) => {
        const text = texts[Number(index)] ?? whole;
        length += text.length;
        return length > MOST_WRITTEN ? '0' : text; // what was repeated with it would be more than a string holds
      });
    },
  };
}

/** Numbers as they may be written, of which JavaScript, Go and Kubernetes each make something else. */
const NUMBERS = [
  ...['0', '-0', '-1', '0.5', '1.0', '1e0', '1E+2', '2147483647', '2147483648', '-2147483649', '4294967296'],
  ...['9007199254740993', '123456789012345678901234567890', '1e308', '1e400', '-1e400', '1e-400', '0.1e1'],
] as const;

const TEXTS = [
  ...['', ' ', 'x', '0', '1', '-1', '25%', '-25%', '1e3%', `${'9'.repeat(40)}%`, 'true', 'null', 'Infinity', 'NaN'],
  ...['__proto__', 'constructor', 'toString', 'Recreate', 'RollingUpdate', 'OnDelete', 'Block', 'ReadWriteOncePod'],
  ...[
    'In',
    'Exists',
    'Gt',
    'kubernetes.io/hostname',
    'topology.kubernetes.io/zone',
    'data',
    'shop',
    '*',
    '../..',
    '%2e',
  ],
  ...['a\nb', 'a\u0000b', '\u202egnp', '\u2066x', 'a\u200bb', '\ufeff', '\u2028', '\u2029', '\ud800', '\udc00\ud800'],
  ...[
    '💾',
    'é',
    'ﬃ',
    '{{ .Values.x }}',
    '$' + '{X}',
    '"',
    '\\',
    "'; --",
    '<script>',
    '\u001b[31m',
    '10Gi',
    '1e400Gi',
    '-1Ki',
  ],
] as const;

const CHARACTERS = ['a', '9', 'ä', '\u202e', '\u0000', '\ud800', '💾', '"', '\\', '/', ',', ':', '\u2028'] as const;

/** Most are just beyond what Kubernetes allows; few are as long as a request may be. */
export function longText(random: Random): string {
  const length = random.weighted([
    [random.between(60, 66), 300],
    [random.between(250, 260), 300],
    [random.between(1_000, 5_000), 100],
    [random.between(10_000, 80_000), 20],
    [random.between(200_000, 500_000), 0.4], // up to 3 MB, for some are written with six characters each
  ]);
  return random.pick(CHARACTERS).repeat(length);
}

/** Lists or objects in each other, as JSON. */
export function deep(random: Random): string {
  const depth = random.weighted([
    [random.between(5, 80), 100],
    [random.between(100, 3_000), 30],
    [random.between(8_000, 20_000), 5],
    [200_000, 0.3],
  ]);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"spec":', '}'],
  ] as const);
  return open.repeat(depth) + random.pick(['1', 'null', '""', '{}']) + close.repeat(depth);
}

/** A value of any type but most likely the wrong one. */
export function anyValue(random: Random, { stand }: Raw): unknown {
  return random.weighted<() => unknown>([
    [() => random.pick([null, true, false, [], {}, [true], [null], [[]], [{}], { a: 1 }, { 0: 'x', length: 1 }]), 6],
    [() => stand(random.pick(NUMBERS)), 5],
    [() => random.pick(TEXTS), 6],
    [() => longText(random), 2],
    [() => stand(deep(random)), 1],
    [() => oddKeys(random), 1],
  ])();
}

const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'then',
  'length',
  '',
];

/** An object with keys that mean something to JavaScript, as its own. */
export function oddKeys(random: Random, object: object = {}): object {
  const value = random.pick<unknown>([null, 'x', {}, [], 1, { toString: 'x' }, { rollingUpdate: {} }]);
  Object.defineProperty(object, random.pick(ODD_KEYS), { value, enumerable: true, configurable: true, writable: true });
  return object;
}
