import { randomUUID } from 'node:crypto';
import pc from 'picocolors';

/** How words that weigh are shown. */
export interface Colors extends Pick<
  ReturnType<typeof pc.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
> {
  /**
   * Text with the codes of a renderer of ours, which lets no other code through: as it prints it
   * where there are colours, or where there are none.
   */
  rendered(render: (options: { readonly colour: boolean }) => string): string;
}

/**
 * Stands before the codes of our own colours until they are printed, and nothing else can write it:
 * so what comes from others may have codes of terminals in it, and none of them reaches one.
 */
export const colorMark: string = `\u001b${randomUUID()}`;

/**
 * Colours where a person looks at `stream` and has not switched them off; plain text elsewhere, CI
 * included. Text with colours is for `printOut` and `printError` alone.
 */
export function colorsFor(stream: { readonly isTTY?: boolean }): Colors {
  const isShown = stream.isTTY === true && pc.isColorSupported;
  return isShown ? markedColors : noColors;
}

/** None. */
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
