import type { Site } from '@nccl-ts/findings';
import type { KernelText } from '@nccl-ts/transport';

/** A captured kernel, with the text of a device function that it calls. */
export const meets: KernelText = {
  name: 'meets',
  sources: [
    {
      name: 'meets',
      text: `({ lsa, coopCta, blockIdx, f32 }, { comm, win }) => {
  const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
  bar.sync(coopCta(), 'acquire');
  pointer(win, f32, 0, 1)[1024] = 1;
}`,
    },
    { name: 'library', text: 'x;\n  waitAll(y);' },
  ],
};

const text = meets.sources[0]?.text ?? '';

/** A location in the kernel's own text. */
export function site(piece: string, what: string): Site {
  const start = text.indexOf(piece);
  return { span: { source: 0, start, end: start + piece.length }, what };
}

export const sync: Site = site(`bar.sync(coopCta(), 'acquire')`, 'wait');
export const store: Site = site('pointer(win, f32, 0, 1)[1024] = 1', 'store');
