/** An element of SVG as a plain value, from which a page makes a real one. What is text in it stays text. */
export interface Drawn {
  readonly tag: 'svg' | 'g' | 'rect' | 'path' | 'text' | 'title' | 'circle';
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Drawn | string)[];
}

export function drawn(tag: Drawn['tag'], attributes: Drawn['attributes'], ...children: Drawn['children']): Drawn {
  return { tag, attributes, children };
}

/** A name that fits, with its end, which tells names apart more often than the middle. */
export function fitted(name: string, most: number): string {
  const letters = [...name];
  if (letters.length <= most) return name;
  const end = Math.floor((most - 1) / 2);
  return `${letters.slice(0, most - 1 - end).join('')}…${letters.slice(letters.length - end).join('')}`;
}
