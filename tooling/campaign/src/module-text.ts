import { FABRIC_WORDS, usesFabric } from './fabric-text.ts';
import { kernelText, SLOTS } from './kernel-text.ts';
import type { HostStep, CampaignProgram } from './program.ts';

/** The modules that a kernel's text may use. */
const modules = ['lsa', 'gin', 'barrier', 'cft', 'teamWorld'] as const;

/** The program's kernels and its function `host`, as text that uses the names of `imports`. */
export function programText(program: CampaignProgram): string {
  const kernels = program.kernels.map((_, index) => {
    const { text, uses, parameters } = kernelText(program, index);
    const used = modules.filter((name) => uses.includes(name));
    const given = parameters.map((name) => `${name}: ${name === 'comm' ? 'devComm' : 'window'}`);
    const head = `{ name: 'k${index}', use: { ${used.join(', ')} }, params: { ${given.join(', ')} } }`;
    return `const k${index} = kernel(${head}, ${text});`;
  });
  return [...kernels, '', hostText(program)].join('\n');
}

/** A module that `nccl-ts check` runs. Its first line is the command. */
export function moduleText(program: CampaignProgram, file = 'program.ts'): string {
  const text = programText(program);
  const has = (name: string): boolean => new RegExp(String.raw`\b${name}\b`).test(text);
  const named = (names: readonly string[], from: string): readonly string[] => {
    const used = names.filter(has);
    return used.length === 0 ? [] : [`import { ${used.join(', ')} } from '@nccl-ts/${from}';`];
  };
  return [
    `// nccl-ts check ${file} --ranks ${program.ranks} --lsa-size ${program.lsaSize}`,
    ...(/\bbarrier\.session\b/.test(text) ? named(['barrier'], 'barrier') : []),
    ...(/\bcft\b/.test(text) ? named(['cft'], 'cft') : []),
    ...named(['devComm', 'teamWorld', 'window'], 'devcomm'),
    ...(/\bgin\b/.test(text) ? named(['gin'], 'gin') : []),
    ...named(['kernel'], 'kernel'),
    ...named(['lsa'], 'lsa'),
    '',
    text.replace('async function host', 'export async function host'),
    '',
  ].join('\n');
}

function hostText(program: CampaignProgram): string {
  const { kernels, grid, block, words, steps, readsWords } = program;
  const texts = kernels.map((_, index) => kernelText(program, index));
  const all = texts.map(({ text }) => text).join('\n');
  const isHybrid = all.includes('barrier.session');
  const usesNetwork = isHybrid || texts.some(({ uses }) => uses.includes('gin'));
  const usesComm = texts.some(({ parameters }) => parameters.includes('comm'));
  const keeps = texts.some(({ parameters }) => parameters.includes('found'));
  const needs = [
    ...(all.includes('lsa.barrierSession') ? [`lsaBarrierCount: ${grid}`] : []),
    ...(usesNetwork
      ? ["ginConnectionType: 'full'", 'ginContextCount: 2', 'ginSignalCount: 1', 'ginCounterCount: 1']
      : []),
    ...(usesFabric(program) ? ["cftCaps: 'cft'"] : []),
    ...(all.includes('gin.barrierSession') ? ['worldGinBarrierCount: 1'] : []),
    ...(isHybrid ? [`barrierCount: ${grid}`] : []),
  ];
  const streams = [...new Set(steps.flatMap((step) => ('stream' in step ? [step.stream] : [])))].toSorted(
    (a, b) => a - b,
  );
  const extra = streams.filter((stream) => stream > 0);
  const args = (index: number): string => {
    const names = texts[index]?.parameters ?? [];
    return `{ ${names.map((name) => (name === 'comm' ? 'comm: dev' : name)).join(', ')} }`;
  };
  const stepText = (step: HostStep): string => {
    switch (step.kind) {
      case 'launch': {
        const stream = step.stream === 0 ? '' : `, stream: stream${step.stream}`;
        return `await comm.launch(k${step.kernel}, { grid: ${grid}, block: ${block}${stream} }, ${args(step.kernel)});`;
      }
      case 'synchronize':
        return `await comm.synchronize(${step.stream === 0 ? '' : `stream${step.stream}`});`;
      case 'write':
        return `await shared.write(new Uint32Array([${step.value}]), ${step.word * 8});`;
      case 'read':
        return `seen.push(...(await shared.read(new Uint32Array(1), ${step.word * 8})));`;
      case 'meet':
        return 'await comm.createDevComm({});';
    }
  };
  const lines = [
    usesFabric(program)
      ? `const shared = await comm.allocWindow('u32', ${FABRIC_WORDS}, { flags: 9 });`
      : `const shared = await comm.allocWindow('u32', ${words * 2});`,
    ...(keeps ? [`const found = await comm.allocWindow('u32', ${SLOTS * kernels.length * grid * block});`] : []),
    ...(usesComm ? [`const dev = await comm.createDevComm({ ${needs.join(', ')} });`] : []),
    ...extra.map((stream) => `const stream${stream} = await comm.createStream();`),
    'const seen = [];',
    ...steps.map((step) => {
      const text = stepText(step);
      return !('rank' in step) || step.rank === undefined ? text : `if (comm.rank === ${step.rank}) ${text}`;
    }),
    ...streams.map((stream) => `await comm.synchronize(${stream === 0 ? '' : `stream${stream}`});`),
    ...(keeps ? ['const kept = await found.read();'] : []),
    ...(readsWords ? ['await comm.createDevComm({});', 'const words = await shared.read();'] : []),
    `return [seen, ${keeps ? 'kept.filter((one) => one > 0)' : '[]'}, ${readsWords ? 'words' : '[]'}].map((one) => one.join()).join(' ');`,
  ];
  return ['async function host(comm) {', ...lines.map((line) => `  ${line}`), '}'].join('\n');
}
