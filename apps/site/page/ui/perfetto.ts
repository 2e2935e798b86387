const PERFETTO = 'https://ui.perfetto.dev';
/** How long the page waits for Perfetto to answer, in ms. */
const PATIENCE = 30_000;

/**
 * Opens Perfetto in a tab, and sends it a trace as its documents describe. Nothing is sent before
 * the press that calls this.
 */
export function openInPerfetto(trace: () => Promise<string>, tell: (text: string) => void): void {
  const tab = window.open(PERFETTO);
  if (tab === null) {
    tell('The browser has not opened a tab. Download the trace, and open it at ui.perfetto.dev.');
    return;
  }
  tell('Waiting for Perfetto …');
  const timer = setInterval(() => tab.postMessage('PING', PERFETTO), 100);
  const end = (text: string): void => {
    clearInterval(timer);
    clearTimeout(late);
    removeEventListener('message', onMessage);
    tell(text);
  };
  const onMessage = ({ origin, source, data }: MessageEvent<unknown>): void => {
    if (origin !== PERFETTO || source !== tab || data !== 'PONG') return;
    end('Perfetto shows the timeline.');
    void send(tab, trace);
  };
  const late = setTimeout(() => end('Perfetto has not answered. Download the trace instead.'), PATIENCE);
  addEventListener('message', onMessage);
}

async function send(tab: Window, trace: () => Promise<string>): Promise<void> {
  const { buffer } = new TextEncoder().encode(await trace());
  tab.postMessage({ perfetto: { buffer, title: 'nccl-ts timeline' } }, PERFETTO, [buffer]);
}
