import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { pairwiseCollectiveCases, runCollectiveCase } from '@nccl-ts/conformance';
import { renderReport } from '@nccl-ts/findings';
const cases = pairwiseCollectiveCases().filter(c => c.count>0 && c.count<200 && c.ranks>1 && c.ranks<5);
const seen = new Map<string, number>();
for (const ranks of [2,3,4]) {
  const mine = cases.filter(c => c.ranks===ranks);
  for (const c of mine) {
    const key=c.collective+c.algorithm+c.inPlace; if ((seen.get(key)??0)>=2) continue; seen.set(key,(seen.get(key)??0)+1);
    const backend = sim({ ranks, mode: 'check', seed: 3 });
    let p: unknown;
    { await using world = await World.open({ backend }); try { p = await runCollectiveCase(world, c); } catch (e) { p=String(e).slice(0,300); } }
    const r = backend.report();
    if (p!==undefined || r.findings.length>0) { console.log(c.id, p, r.findings.length); console.log(renderReport(r).slice(0,3000)); process.exit(1); }
  }
  console.log(ranks, seen.size);
}
