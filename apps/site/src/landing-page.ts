import { examples } from '../page/examples.ts';

export const landingFrontmatter = {
  layout: 'page',
  sidebar: false,
  title: 'nccl-ts',
  titleTemplate: false,
  pageClass: 'landing',
  description:
    "NCCL's device-initiated communication for TypeScript: write GPU kernels that communicate, run them without a GPU, and find their races.",
};

/** The landing page as Markdown: one sentence, one program, three doors, and links to the rest. */
export function landingText(): string {
  const broken = examples.find(({ name }) => name === 'weak-barrier');
  if (broken === undefined) throw new Error('The example of the landing page is missing.');
  return `<main class="landing-page vp-doc">
<section class="hero"><div>
<h1 id="nccl-ts">Find the race before the GPU does</h1>
<p>nccl-ts brings NCCL's device-initiated communication to TypeScript. Kernels of several GPUs read and write each other's
memory. A simulator runs them here, in this page, and a checker decides by the memory model of PTX which accesses are ordered.</p>
</div>
${picture}
</section>
<nav class="doors" aria-label="Where to begin">
<a href="/docs/tutorial/first-kernel/"><b>Learn</b><span>Your first kernel in ten minutes, without a GPU: write, run, break and check it.</span></a>
<a href="/ptx/" target="_self"><b>Check my CUDA</b><span>Paste the PTX of a kernel that you have, describe its launch, and see what races.</span></a>
<a href="/playground/" target="_self"><b>Write TypeScript</b><span>The playground: run a kernel on up to eight ranks, check it, and see memory over time.</span></a>
</nav>
<section>

## This barrier is too weak

Press Check. The two lines that race are marked, with what is missing. One click mends it.

<nccl-play class="beside" data-ranks="4" data-verdict="${broken.verdict}">

\`\`\`ts
${broken.text.trim()}
\`\`\`

</nccl-play>
</section>
<section class="cards">
<a href="/docs/museum/"><b>Museum</b><span>Public bugs of GPU kernels that the checker finds.</span></a>
<a href="/litmus/" target="_self"><b>Litmus tests</b><span>Edit six lines. Every outcome that the memory model allows is listed, each with its graph.</span></a>
<a href="/break/" target="_self"><b>Break it</b><span>Ten programs to break and ten to repair. The check says when you have done it.</span></a>
<a href="/barrier/" target="_self"><b>A barrier taken apart</b><span>Inboxes, epochs, and who waits for whom, step by step.</span></a>
<a href="/algorithms/" target="_self"><b>Four ways to sum</b><span>One shot, two shots, a ring and LL as running code, with the bytes on each link and predicted times.</span></a>
<a href="/docs/checking/"><b>The check</b><span>What it reports, what it proves, and what it does not find.</span></a>
</section>
<figure tabindex="0"><img src="/files/docs/hybrid-all-to-all.svg" alt="A timeline of eight ranks: barriers, puts and stores" loading="lazy" width="960" height="1743"><figcaption>What eight ranks do in a hybrid all-to-all, in simulated time.</figcaption></figure>
</main>
`;
}

/** Two ranks as lanes: a store and a load that no barrier orders. */
const picture = `<svg class="lanes" viewBox="0 0 420 190" role="img" aria-labelledby="lanes-title">
<title id="lanes-title">Two ranks: rank 0 stores into rank 1's memory and releases at a barrier; rank 1 passes the barrier without acquire, so its load races.</title>
<g class="rail"><path d="M70 50H400M70 140H400"/></g>
<text x="8" y="55">rank 0</text><text x="8" y="145">rank 1</text>
<rect class="barrier" x="222" y="26" width="20" height="138" rx="8"/>
<text class="label" x="232" y="18">barrier</text>
<circle class="store" cx="150" cy="50" r="11"/><text class="label" x="150" y="34">store</text>
<circle class="load" cx="320" cy="140" r="11"/><text class="label" x="320" y="170">load</text>
<path class="missing" d="M161 56C210 80 250 110 309 134"/>
<text class="lacks" x="252" y="86">release is missing</text>
</svg>`;
