import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { pairwiseCollectiveCases, runCollectiveCase } from '@nccl-ts/conformance';
const cases = pairwiseCollectiveCases();
console.log(cases.length);
const t0=performance.now();
let bad=0, n=0;
for (const ranks of [1,2,3,4,5,7,8,16]) {
  await using world = await World.open({ backend: sim({ ranks }) });
  for (const c of cases) if (c.ranks===ranks && c.algorithm==='ll') {
    n++;
    try { const p = await runCollectiveCase(world, c); if (p!==undefined) { bad++; console.log(c.id, p); } } catch (e) { console.log(c.id, String(e).slice(0,600)); bad++; break; }
  }
  console.log(ranks, n, bad, ((performance.now()-t0)/1000).toFixed(1));
}
