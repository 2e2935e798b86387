import { at } from '@nccl-ts/core';
import type { Waiting } from '@nccl-ts/findings';
import { elementScalar, readScalar, typeName, valueBytes, type ScalarValue, type Type } from '@nccl-ts/ir';
import { mostNeeds, mostWords, noteLayout } from '../emit-wgsl/emit-explain.ts';
import { launchStatusWords, printWords, worldStatus } from '../emit-wgsl/status-layout.ts';
import type { WebgpuAddressSpace } from '../memory/address-space.ts';
import type { WgslExplanation } from '../wgsl-source.ts';
import type { LaunchGroup, LaunchMember } from './group.ts';

/** A waiting CTA with its wait. */
export interface StuckCta {
  readonly member: LaunchMember;
  readonly cta: number;
  readonly waiting: Waiting;
}

/** Makes the waiting CTAs of a group report their waits, as many as there is room for. */
export async function stuckCtas(group: LaunchGroup, space: WebgpuAddressSpace): Promise<readonly StuckCta[]> {
  const { source, layout } = group.code;
  const { status, device } = group.share;
  const { device: gpu } = device;
  const explanation = source.explain();
  const module = gpu.createShaderModule({ code: explanation.text });
  const pipeline = await device.unlessLost(
    'explain a deadlock',
    gpu.createComputePipelineAsync({
      layout: gpu.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: 'explain' },
    }),
  );
  status.write(worldStatus.printed, [0]);
  await status.submit(0, (encoder) => {
    const pass = encoder.beginComputePass();
    group.encode(pass, pipeline);
    pass.end();
  });
  const [requested = 0] = await status.words(worldStatus.printed, 1);
  const count = Math.min(Math.floor(requested / noteLayout.length), Math.floor(printWords / noteLayout.length));
  const words = await status.words(worldStatus.printAt, Math.max(1, count * noteLayout.length));
  status.write(worldStatus.printed, [0]);
  const notes = Array.from({ length: count }, (_, i) =>
    words.subarray(i * noteLayout.length, (i + 1) * noteLayout.length),
  );
  return notes.flatMap((note) => stuckCta(note, group, explanation, space));
}

function stuckCta(
  note: Uint32Array,
  group: LaunchGroup,
  explanation: WgslExplanation,
  space: WebgpuAddressSpace,
): readonly StuckCta[] {
  const word = (field: keyof typeof noteLayout, more = 0): number => at(note, noteLayout[field] + more);
  const slot = (word('slot') - worldStatus.launches) / launchStatusWords;
  const member = group.members.find((one) => one.slot === slot);
  const wait = group.code.source.waits.find(({ label }) => label === word('label'));
  if (member === undefined || wait === undefined) return [];
  const indices = bitsOf(note.subarray(noteLayout.indices, noteLayout.indices + 32));
  const threads = wait.whole
    ? Array.from({ length: member.launch.blockThreads }, (_, thread) => thread)
    : bitsOf(note.subarray(noteLayout.threads, noteLayout.threads + 32));
  const waiting: Waiting = {
    site: wait.site,
    kind: wait.kind,
    threads,
    ...(wait.kind === 'waitAll' && { indices }),
    words: Array.from({ length: Math.min(word('words'), mostWords) }, (_, i) => {
      const start = noteLayout.words + 1 + 5 * i;
      const [number, address, low, first, second] = [
        at(note, start),
        at(note, start + 1),
        at(note, start + 2),
        at(note, start + 3),
        at(note, start + 4),
      ];
      const load = explanation.loads[number];
      const type = load?.type;
      const region = low === 0 ? space.regionAt(address) : space.regionFrom(low);
      return {
        address,
        region,
        space: load?.space ?? 'global',
        type: type === undefined ? '' : typeName(type),
        value: valueOf(type, first, second),
      };
    }),
    needed: Array.from({ length: Math.min(word('needs'), mostNeeds) }, (_, i) => {
      const start = noteLayout.needs + 1 + 3 * i;
      const [number, first, second] = [at(note, start), at(note, start + 1), at(note, start + 2)];
      const need = explanation.needs[number];
      if (need === undefined) return '';
      const value = need.type === undefined ? '' : String(valueOf(need.type, first, second));
      return `${need.before}${value}${need.after}`;
    }).join(' or '),
  };
  return [{ member, cta: word('cta'), waiting }];
}

function bitsOf(words: Uint32Array): number[] {
  return [...words].flatMap((word, i) =>
    Array.from({ length: 32 }, (_, bit) => 32 * i + bit).filter((bit) => ((word >>> (bit % 32)) & 1) === 1),
  );
}

function valueOf(type: Type | undefined, first: number, second: number): ScalarValue {
  const view = new DataView(Uint32Array.of(first, second).buffer);
  if (type?.kind !== 'scalar' || valueBytes(type) > 8) return first;
  return readScalar(view, 0, elementScalar(type));
}
