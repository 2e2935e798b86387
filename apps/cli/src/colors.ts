import { randomUUID } from 'node:crypto';
import pc from 'picocolors';

/** The styles of important words. */
export interface Colors extends Pick<
  ReturnType<typeof pc.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
> {
  /**
   * Text with the codes of one of our renderers, which lets no other code through: with or without
   * colours.
   */
  rendered(render: (options: { readonly colour: boolean }) => string): string;
}

/**
 * A mark before the codes of our own colours, until they are printed. Only this program can write
 * it, so terminal codes in other text never reach a terminal.
 */
export const colorMark: string = `\u001b${randomUUID()}`;

/**
 * Colours if `stream` is a terminal and they are not switched off; otherwise plain text, also in
 * CI. Text with colours is only for `printOut` and `printError`.
 */
export function colorsFor(stream: { readonly isTTY?: boolean }): Colors {
  const isShown = stream.isTTY === true && pc.isColorSupported;
  return isShown ? markedColors : noColors;
}

/** No colours. */
export const noColors: Colors = { ...pc.createColors(false), rendered: (render) => render({ colour: false }) };

/** Those of a terminal, as marks. */
export const markedColors: Colors = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
  cyan: paint(36, 39),
  rendered: (render) => render({ colour: true }).replaceAll('\u001b[', `${colorMark}[`),
};

function paint(on: number, off: number): Colors['red'] {
  return (text) => `${colorMark}[${on}m${String(text)}${colorMark}[${off}m`;
}
