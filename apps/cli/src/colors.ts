import pc from 'picocolors';

export type Colors = ReturnType<typeof pc.createColors>;

/** Colours where a person looks at `stream` and has not switched them off; plain text elsewhere, CI included. */
export function colorsFor(stream: { readonly isTTY?: boolean }): Colors {
  return pc.createColors(stream.isTTY === true && pc.isColorSupported);
}
