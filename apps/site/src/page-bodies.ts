export const playgroundBody = `<h1 class="hidden">Playground</h1>
<div id="bar" class="bar" role="toolbar" aria-label="Program"></div>
<div class="sides" role="group" aria-label="Code or result"><button id="side-code" type="button">Code</button><button id="side-result" type="button">Result</button></div>
<div id="playground" class="playground"></div>`;

export const litmusBody = `<h1>Litmus tests</h1>
<p>A litmus test is a few accesses of a few threads. This page lists every outcome that the memory model of PTX allows, and draws
one execution for each. Edit the test: <code>x = 1 release system</code> writes, <code>a = x acquire system</code> reads,
<code>fence seq_cst system</code> stands between. Orders are relaxed, acquire, release, acq_rel and seq_cst; scopes are block,
device and system. An access without an order is plain. <code>exists</code> asks about an outcome.</p>
<div id="litmus-bar" class="bar"></div>
<div class="playground litmus"><div id="litmus-code" class="pane code-pane"></div><div id="outcomes" class="pane result-pane"></div></div>`;

export const ptxBody = `<h1>Check your CUDA kernel</h1>
<p>Paste the PTX of a kernel (<code>nvcc -ptx -lineinfo</code>) and its CUDA C++, or start from a shape. The page describes the
launch; fill in what only you know. The kernel runs on simulated ranks, and the check reports races, deadlocks and wrong results.
Nothing leaves this page.</p>
<div id="ptx-bar" class="bar"></div>
<div class="ptx">
<section class="pane"><h2>PTX</h2><div id="ptx-code" class="code-pane"></div></section>
<section class="pane"><h2>CUDA C++ <span class="quiet">optional: names for parameters, lines for findings</span></h2><div id="cuda-code" class="code-pane"></div></section>
<section class="pane launch"><h2>The launch</h2>
<div class="row" role="group" aria-label="View of the launch"><button id="launch-as-fields" type="button">Fields</button><button id="launch-as-text" type="button">launch.ts</button></div>
<div id="launch-fields" class="launch-fields"></div><div id="launch-code" class="code-pane" hidden></div></section>
<section class="pane"><h2>Result</h2><div id="ptx-result" class="result-pane"><p class="quiet">Press Check.</p></div></section>
</div>`;

export const breakBody = `<h1>Break it</h1>
<p>Remove or weaken one thing, and see the schedule in which a program fails. Then repair what others have broken.</p>
<div class="tasks"><nav class="task-lists" aria-label="Tasks"><h2>Ten to break</h2><ol id="break"></ol><h2>Ten to repair</h2><ol id="repair"></ol></nav>
<div class="task-work"><section id="task" aria-label="The task"></section>
<div id="bar" class="bar" role="toolbar" aria-label="Program"></div>
<div id="playground" class="playground"></div></div></div>`;

export const algorithmsBody = `<h1>Four ways to sum</h1>
<p>An AllReduce gives every rank the sum of all ranks' elements. Here are four ways, as kernels that you can run, check and
change. Run counts the bytes that cross each link. The times are predicted for H100 GPUs with NVLink, by the costs that
<code>nccl-ts predict</code> uses; nothing is measured here.</p>
<div id="algorithms" class="row" role="group" aria-label="Algorithms"></div>
<p id="about"></p>
<div id="bar" class="bar" role="toolbar" aria-label="Program"></div>
<div id="playground" class="playground"></div>
<section aria-label="Bytes"><h2>Bytes on each link</h2><div id="links"></div></section>
<section aria-label="Times"><h2>Predicted times</h2><div id="times"><p class="quiet">Predict the time of this program, or compare all four.</p></div></section>`;

export const barrierBody = `<h1>A barrier taken apart</h1>
<p>Every rank has an inbox with one word for each peer. Let the ranks arrive one by one, and see who waits for whom.</p>
<div class="barrier-page"><div>
<div id="barrier-bar" class="bar" role="toolbar" aria-label="Steps"></div>
<div id="next"></div>
<div id="states"></div></div>
<section class="below" aria-label="How it works"><h2>How it works</h2>
<p>A rank that comes to the barrier does three things:</p>
<pre tabindex="0"><code>epoch = epoch + 1
for (const peer of peers)
  inbox(peer)[rank] = epoch  // release
for (const peer of peers)
  wait until inbox(rank)[peer] >= epoch  // acquire</code></pre>
<p>So no rank asks another one, and no word is ever cleared: a word only grows, and the next round waits for a larger one. The
release publishes what the rank has stored before; the acquire makes it visible to the rank that waits.</p>
<p>Each state is a run of the simulator with <code>lsa.barrierSession</code>. A rank can come again only when nobody that it
waits for is missing.</p>
<p><a href="../docs/explanation/memory-model-from-scratch/#barriers-many-releases-and-acquires-at-once">What a barrier orders</a></p></section></div>`;
