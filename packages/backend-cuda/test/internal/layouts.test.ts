import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planDevComm, requirementFields, requirementTable } from '@nccl-ts/devcomm';
import { createTopology } from '@nccl-ts/topology';
import koffi from 'koffi';
import { describe, expect, it } from 'vitest';
import { nativeView, getPointer } from '../../src/ffi/native-memory.ts';
import { layoutProbeText, readLayout, structLayout, type NcclLayout } from '../../src/ffi/nccl-layout.ts';
import { launchAttributeLayout, launchConfigLayout } from '../../src/ffi/launch-struct.ts';
import { loadKoffi } from '../../src/ffi/koffi.ts';
import { layoutArguments } from '../../src/runtime/argument-layout.ts';
import { planAsCreated, shareLsaBarriers } from '../../src/runtime/cuda-dev-comm.ts';
import { nativeRequirements } from '../../src/runtime/dev-comm-requirements.ts';

const fixtures = join(import.meta.dirname, '../fixtures');
/** The layouts that nvcc computed with the headers of each version. */
const versions = ['2.28.3', '2.28.7', '2.28.9', '2.29.2', '2.29.7', '2.30.3', '2.30.7', '2.31.2', '2.32.3'] as const;
type Version = (typeof versions)[number];

function layoutOf(version: Version): NcclLayout {
  return readLayout(readFileSync(join(fixtures, `layouts/${version}.ptx`), 'utf8'));
}

function codeOf(version: Version): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return major * 10000 + minor * 100 + patch;
}

describe('the layouts of NCCL’s structs', () => {
  it('differ between versions', () => {
    const sizes = versions.map((version) => {
      const layout = layoutOf(version);
      const { initial } = structLayout(layout, 'requirements');
      return [
        version,
        structLayout(layout, 'devComm').bytes,
        structLayout(layout, 'window').bytes,
        structLayout(layout, 'requirements').bytes,
        initial === undefined
          ? 'no initializer'
          : `magic ${new DataView(Uint8Array.from(initial).buffer).getUint32(8, true).toString(16)}`,
        layout.properties?.bytes,
      ];
    });
    expect(sizes).toMatchInlineSnapshot(`
      [
        [
          "2.28.3",
          88,
          32,
          24,
          "no initializer",
          undefined,
        ],
        [
          "2.28.7",
          200,
          72,
          56,
          "no initializer",
          undefined,
        ],
        [
          "2.28.9",
          200,
          72,
          56,
          "no initializer",
          undefined,
        ],
        [
          "2.29.2",
          200,
          72,
          72,
          "magic cafebeef",
          40,
        ],
        [
          "2.29.7",
          224,
          72,
          88,
          "magic cafebeef",
          56,
        ],
        [
          "2.30.3",
          240,
          72,
          96,
          "magic cafebeef",
          56,
        ],
        [
          "2.30.7",
          240,
          88,
          96,
          "magic cafebeef",
          56,
        ],
        [
          "2.31.2",
          248,
          88,
          120,
          "magic cafebeef",
          144,
        ],
        [
          "2.32.3",
          248,
          96,
          120,
          "magic cafebeef",
          152,
        ],
      ]
    `);
  });

  it('have the required fields in every version', () => {
    for (const version of versions) {
      const layout = layoutOf(version);
      expect(Object.keys(structLayout(layout, 'window').members)).toEqual([
        'lsaFlatBase',
        'lsaRank',
        'worldRank',
        'stride4G',
        'mcOffset4K',
      ]);
      expect(Object.keys(structLayout(layout, 'devComm').members)).toContain('lsaBarrier');
      expect(Object.keys(structLayout(layout, 'resourceRequirements').members)).toContain('outBufferHandle');
    }
  });

  it('come from a probe that returns one result for each struct', () => {
    expect(layoutProbeText().match(/extern "C" __device__ const long long layout_\w+/g)).toHaveLength(9);
  });
});

describe('requirements of a device communicator', () => {
  const topology = createTopology({ ranks: 2 });
  const support = { symmetric: true, multimem: false, gin: 'none' } as const;

  it.each(versions)('are written in the layout of version %s', async (version) => {
    const layout = layoutOf(version);
    const plan = planDevComm(
      { lsaBarrierCount: 5, resourceRequirementsList: [{ bufferSize: 640 }, { bufferSize: 1, bufferAlign: 256 }] },
      topology,
      support,
    );
    const native = nativeRequirements(await loadKoffi(), layout, plan, codeOf(version));
    const struct = structLayout(layout, 'requirements');
    const koffiHere = await loadKoffi();
    const bytes = nativeView(koffiHere, native.address, struct.bytes);
    const view = new DataView(bytes.buffer);
    const at = (name: string): number => struct.members[name]?.offset ?? -1;
    expect(view.getInt32(at('lsaBarrierCount'), true)).toBe(5);
    expect(at('magic') === -1 ? 0xcafebeef : view.getUint32(at('magic'), true)).toBe(0xcafebeef);
    expect(at('version') === -1 ? codeOf(version) : view.getUint32(at('version'), true)).toBe(codeOf(version));
    expect(at('ginContextCount') === -1 ? 4 : view.getInt32(at('ginContextCount'), true)).toBe(4);
    const node = structLayout(layout, 'resourceRequirements');
    const nodeAt = (address: number): DataView => new DataView(nativeView(koffiHere, address, node.bytes).buffer);
    const first = nodeAt(getPointer(view, at('resourceRequirementsList')));
    expect(getPointer(first, node.members['bufferSize']?.offset ?? -1)).toBe(640);
    const second = nodeAt(getPointer(first, node.members['next']?.offset ?? -1));
    expect(getPointer(second, node.members['bufferAlign']?.offset ?? -1)).toBe(256);
    expect(getPointer(second, node.members['next']?.offset ?? -1)).toBe(0);
    nativeView(koffiHere, getPointer(second, node.members['outBufferHandle']?.offset ?? -1), 4)[0] = 77;
    expect(native.resources().map(({ bufHandle }) => bufHandle)).toEqual([0, 77]);
    native.free();
  });

  it.each(versions)('have exactly the fields that the requirement table lists for version %s', (version) => {
    const { members } = structLayout(layoutOf(version), 'requirements');
    const known = requirementFields.filter((field) => requirementTable[field].since <= codeOf(version));
    expect(requirementFields.filter((field) => members[field] !== undefined)).toEqual(known);
  });

  it('of 2.29.2 find hybrid barriers where the LSA barriers are', () => {
    const layout = layoutOf('2.30.7');
    const struct = structLayout(layout, 'devComm');
    const created = new DataView(new ArrayBuffer(struct.bytes));
    const at = (name: string): number => struct.members[name]?.offset ?? -1;
    created.setUint32(at('lsaBarrier'), 0x1234, true);
    created.setUint32(at('lsaBarrier') + 4, 6, true);
    shareLsaBarriers(planDevComm({ barrierCount: 6, apiVersion: 22902 }, topology, support), layout, created);
    expect(created.getUint32(at('hybridLsaBarrier'), true)).toBe(0x1234);
    expect(created.getUint32(at('hybridLsaBarrier') + 4, true)).toBe(6);
    created.setUint32(at('hybridLsaBarrier'), 7, true);
    shareLsaBarriers(planDevComm({ lsaBarrierCount: 6 }, topology, support), layout, created);
    expect(created.getUint32(at('hybridLsaBarrier'), true)).toBe(7);
  });

  it.each(versions.filter((version) => version !== '2.28.3'))(
    'for GIN are written in the layout of version %s',
    async (version) => {
      const layout = layoutOf(version);
      const code = codeOf(version);
      const asked = {
        ginConnectionType: 'full' as const,
        railGinBarrierCount: 3,
        ginContextCount: 2,
        ginSignalCount: 5,
        ginCounterCount: 6,
        ...(code >= 22907 && { ginExclusiveContexts: true, ginQueueDepth: 64 }),
        ...(code >= 23003 && { ginTrafficClass: 9, worldGinBarrierCount: 4 }),
        ...(code >= 23005 && { ginStrongSignalsRequired: false, ginVaSignalsRequired: false }),
        ...(code >= 23102 && { ginType: 'proxy' as const }),
        resourceRequirementsList: [{ ginSignalCount: 7, ginCounterCount: 8 }, { ginSignalCount: 1 }],
      };
      const plan = planDevComm(asked, topology, { ...support, gin: 'full' });
      const here = await loadKoffi();
      const native = nativeRequirements(here, layout, plan, code);
      const struct = structLayout(layout, 'requirements');
      const view = new DataView(nativeView(here, native.address, struct.bytes).buffer);
      const seen = Object.fromEntries(
        Object.entries(struct.members)
          .filter(([name]) => /gin/i.test(name))
          .map(([name, { offset, bytes }]) => [
            name,
            bytes === 1 ? view.getUint8(offset) : view.getInt32(offset, true),
          ]),
      );
      expect(seen).toEqual({
        railGinBarrierCount: 3,
        ginForceEnable: code < 22907 ? 1 : 0,
        ginContextCount: 2,
        // Including those of the nodes.
        ginSignalCount: 5 + 7 + 1,
        ginCounterCount: 6 + 8,
        ...(code >= 22907 && { ginConnectionType: 1, ginExclusiveContexts: 1, ginQueueDepth: 64 }),
        ...(code >= 23003 && { ginTrafficClass: 9, worldGinBarrierCount: 4 }),
        ...(code >= 23005 && { ginStrongSignalsRequired: 0, ginVaSignalsRequired: 0 }),
        ...(code >= 23102 && { ginCustomStride: 1, ginType: 2 }),
      });
      const node = structLayout(layout, 'resourceRequirements');
      const member = (name: string): number => node.members[name]?.offset ?? -1;
      const list = struct.members['resourceRequirementsList']?.offset ?? -1;
      const first = new DataView(nativeView(here, getPointer(view, list), node.bytes).buffer);
      expect([first.getInt32(member('ginSignalCount'), true), first.getInt32(member('ginCounterCount'), true)]).toEqual(
        [0, 0],
      );
      nativeView(here, getPointer(first, member('outBufferHandle')), 4).set([23, 0, 0, 0]);
      const resources = native.resources();
      expect(resources).toEqual([
        { bufHandle: 23, ginSignalStart: 5, ginCounterStart: 6 },
        { bufHandle: 0, ginSignalStart: 12, ginCounterStart: 14 },
      ]);
      const devComm = new DataView(new ArrayBuffer(structLayout(layout, 'devComm').bytes));
      const made = planAsCreated(plan, layout, devComm, resources);
      expect(made.resources.map(({ ginSignalStart }) => ginSignalStart)).toEqual([5, 12]);
      const barriers = [made.worldGinBarrier, made.railGinBarrier].map(({ signal0 }) => signal0);
      expect(barriers).toEqual([13, 13 + (asked.worldGinBarrierCount ?? 0) * topology.nRanks]);
      native.free();
    },
  );

  it.each([
    ['2.28.3', { ginConnectionType: 'full' as const }, 'ginConnectionType', '2.29.7'],
    ['2.29.2', { ginConnectionType: 'rail' as const }, 'ginConnectionType', '2.29.7'],
    ['2.29.7', { ginConnectionType: 'full' as const, worldGinBarrierCount: 1 }, 'worldGinBarrierCount', '2.30.3'],
    ['2.30.3', { ginVaSignalsRequired: false }, 'ginVaSignalsRequired', '2.30.5'],
  ] as const)(
    'that version %s lacks are refused, with the first version that has them',
    async (version, asked, name, brings) => {
      const here = await loadKoffi();
      const plan = planDevComm(asked, topology, { ...support, gin: 'full' });
      expect(() => nativeRequirements(here, layoutOf(version), plan, codeOf(version))).toThrow(
        `has no requirement ${name} of device communicators; ${brings} brings it.`,
      );
    },
  );

  it('are refused for lists of GIN peers, because no header shows their layout', async () => {
    const asked = { ginConnectionType: 'customArray', ginCustomArray: [0] } as const;
    const plan = planDevComm(asked, topology, { ...support, gin: 'full' });
    const here = await loadKoffi();
    expect(() => nativeRequirements(here, layoutOf('2.32.3'), plan, 23203)).toThrow(
      "Cannot require ginConnectionType 'customArray' of NCCL 2.32.3: it came with 2.32.6, and no published header",
    );
    const ignored = planDevComm({ ...asked, ginConnectionType: 'full' }, topology, { ...support, gin: 'full' });
    nativeRequirements(here, layoutOf('2.32.3'), ignored, 23203).free();
  });

  it('are refused if the version lacks them', async () => {
    const plan = planDevComm({ lsaLLA2ASlotCount: 3 }, topology, support);
    const native = await loadKoffi();
    expect(() => nativeRequirements(native, layoutOf('2.28.3'), plan, 22803)).toThrow(
      /NCCL 2.28.3 has no requirement lsaLLA2ASlotCount/,
    );
    nativeRequirements(native, layoutOf('2.28.9'), plan, 22809).free();
  });
});

describe('the driver’s structs', () => {
  const header = ['/usr/local/cuda/include', `${process.env['CUDA_HOME'] ?? ''}/include`].find((include) =>
    existsSync(join(include, 'cuda.h')),
  );
  const unlessHeader = header === undefined ? ' (skipped: no cuda.h to compare with)' : '';

  it.skipIf(header === undefined)(`have the layout of cuda.h${unlessHeader}`, () => {
    const root = mkdtempSync(join(tmpdir(), 'nccl-ts-structs-'));
    const members = Object.keys(launchConfigLayout).filter((name) => name !== 'bytes');
    const source = [
      '#include <cuda.h>',
      '#include <stddef.h>',
      'const unsigned answers[] = { sizeof(CUlaunchConfig), sizeof(CUlaunchAttribute), offsetof(CUlaunchAttribute, value),',
      '  sizeof(CUlaunchAttributeValue),',
      ...members.map((name) => `  offsetof(CUlaunchConfig, ${name}),`),
      '};',
    ];
    writeFileSync(join(root, 'structs.c'), source.join('\n'));
    execFileSync('cc', [
      '-shared',
      '-fPIC',
      '-I',
      header ?? '',
      '-o',
      join(root, 'structs.so'),
      join(root, 'structs.c'),
    ]);
    const answers: unknown = koffi.decode(
      koffi.load(join(root, 'structs.so')).symbol('answers'),
      koffi.array('uint32_t', 4 + members.length),
    );
    rmSync(root, { recursive: true });
    const layout = new Map(Object.entries(launchConfigLayout));
    expect(Array.from(answers as Uint32Array)).toEqual([
      launchConfigLayout.bytes,
      launchAttributeLayout.bytes,
      launchAttributeLayout.value,
      launchAttributeLayout.valueBytes,
      ...members.map((name) => layout.get(name)),
    ]);
  });
});

describe('the arguments of a kernel', () => {
  const devComm = { bytes: 200, align: 8 };

  it('are adjacent, each at a multiple of its alignment', () => {
    const value = (bytes: number, align = bytes) => ({ kind: 'value', bytes, align }) as const;
    const neither = { printerAt: undefined, abortAt: undefined };
    expect(layoutArguments([], devComm)).toEqual({ offsets: [], bytes: 0, ...neither });
    expect(layoutArguments([{ kind: 'devComm' }, { kind: 'window' }, value(8), value(4)], devComm)).toEqual({
      offsets: [0, 200, 208, 216],
      bytes: 220,
      ...neither,
    });
    expect(
      layoutArguments([value(1), value(2), value(1), { kind: 'devComm' }, value(16), { kind: 'abort' }], devComm),
    ).toEqual({
      offsets: [0, 2, 4, 8, 208, 224],
      bytes: 232,
      ...neither,
      abortAt: 224,
    });
    expect(layoutArguments([value(4), { kind: 'printer', sites: [] }, { kind: 'abort' }], devComm)).toEqual({
      offsets: [0, 8, 40],
      bytes: 48,
      printerAt: 8,
      abortAt: 40,
    });
  });
});
