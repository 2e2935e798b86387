import type { CtaTask } from './launch.ts';

/**
 * Describes all state on which a CTA depends. Its program keeps that in numbers, arrays and
 * booleans.
 */
export function describeCta({ launch, cta, state, yields }: CtaTask): string {
  const text = JSON.stringify(state, (_name, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    return ArrayBuffer.isView(value) ? bytesOf(value).join() : value;
  });
  return `${launch}/${cta}/${yields}/${text}`;
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}
