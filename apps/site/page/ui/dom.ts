type Child = Node | string | undefined;

/** Creates an element with attributes and children. Text is never parsed as HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** A caption of a table. It stays in view if the table is wider than the page. */
export function caption(text: string): HTMLElement {
  return h('caption', {}, h('span', {}, text));
}

/** The element that a selector matches. */
export function element<E extends Element>(
  selector: string,
  type: abstract new () => E,
  from: ParentNode = document,
): E {
  const found = from.querySelector(selector);
  if (found instanceof type) return found;
  throw new TypeError(`The page has no ${type.name} at ${selector}.`);
}

export function button(
  text: string,
  onClick: () => void,
  attributes: Readonly<Record<string, string>> = {},
): HTMLButtonElement {
  const made = h('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', onClick);
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly Child[]
): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Parses an SVG that a package has drawn. */
export function parsedSvg(text: string): Element {
  return document.importNode(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement, true);
}
