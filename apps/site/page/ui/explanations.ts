import { h } from './dom.ts';

/** The pages that say what a finding, an error or a compile error means. */
const codes = new URL('../docs/reference/codes/', import.meta.url).href;
const verdicts = new URL('../docs/explanation/what-a-verdict-proves/', import.meta.url).href;

/** The part of the page of codes about a code, a kind of finding or `race/release`. */
export function explanationUrl(code: string): string {
  return `${codes}#${code.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '')}`;
}

/** The page that says how much a verdict proves. */
export const verdictUrl = verdicts;

/** A link to the explanation of a code. It opens a page of its own, so that no program is lost. */
export function explanationLink(code: string, text: string): HTMLAnchorElement {
  return h('a', { class: 'explanation', href: explanationUrl(code), target: '_blank' }, text);
}
