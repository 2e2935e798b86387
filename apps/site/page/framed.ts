import { h } from './ui/dom.ts';

/**
 * Puts a part of a program into a frame, which has the style of the pages with programs. VitePress
 * leaves alone what is in a `vp-raw`: its style, and clicks on links.
 */
export function framed(part: HTMLElement): HTMLElement {
  return h('div', { class: 'framed vp-raw' }, part);
}
