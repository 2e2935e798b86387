import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LanguageServer } from './support/language-server.ts';

const timeout = 120_000;
const file = join(import.meta.dirname, 'support/hovered-program.ts');
let server: LanguageServer;

beforeAll(async () => {
  server = await LanguageServer.start(import.meta.dirname);
  server.open(file);
}, timeout);

afterAll(() => server[Symbol.dispose]());

it.for([
  ['lsa.pointer(win', 'pointer', /offset is in bytes.*count elements.*ncclGetLsaPointer/s],
  ['lsa.localPointer(win', 'localPointer', /offset is in bytes.*ncclGetLocalPointer/s],
  ['lsa.barrierSession(coop', 'barrierSession', /lsaBarrierCount.*ncclLsaBarrierSession/s],
  ['mine.load(0)', 'load', /counted in elements.*plain.*'system'.*flag\.load\(0, 'acquire'\)/s],
  ['theirs.store(0', 'store', /counted in elements.*flag\.store\(0, epoch, 'release'\)/s],
  ['comm.lsaSize)', 'lsaSize', /number of ranks.*ncclDevComm/s],
  ['bar.sync(coopCta()', 'coopCta', /all threads of the CTA.*call it.*ncclCoopCta/s],
  ['net.put({', 'put', /Offsets are in bytes.*ncclGin/s],
  ['bar.sync(', 'sync', /release half/],
] as const)('the hover of %s explains it', { timeout }, async ([phrase, name, text]) => {
  expect(await server.hover(file, phrase, name)).toMatch(text);
});

it('the hover of a kernel shows the arguments of a launch', { timeout }, async () => {
  const hover = await server.hover(file, 'export const hovered', 'hovered');
  expect(hover).toMatch(/comm: DevCommArg;.*win: WindowArg;.*count: number/s);
});
