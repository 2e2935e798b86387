import { randomUUID } from 'node:crypto';
import pc from 'picocolors';

/** The styles of important words. */
export interface Colors extends Pick<
  ReturnType<typeof pc.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
> {
  /**
   * Renders text with the colour codes of nccl-ts's own renderers, which let no other codes
   * through, or without colours.
   */
  rendered(render: (options: { readonly colour: boolean }) => string): string;
}

/**
 * A mark before nccl-ts's own colour codes, until they are printed. Only this program can write it,
 * so terminal codes in other text never reach a terminal.
 */
export const colorMark: string = `\u001b${randomUUID()}`;

/**
 * Returns colours if `stream` is a terminal and they are not switched off, and otherwise plain
 * text, also in CI. Only `printOut` and `printError` may print text with colours.
 */
export function colorsFor(stream: { readonly isTTY?: boolean }): Colors {
  const isShown = stream.isTTY === true && pc.isColorSupported;
  return isShown ? markedColors : noColors;
}

/** No colours. */
export const noColors: Colors = { ...pc.createColors(false), rendered: (render) => render({ colour: false }) };

/** The colours of a terminal, as marks. */
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
