import { serveMetrics } from '@carillon/metrics';
import { logger, measureEventLoop, logReady } from '@carillon/runtime';
import { startTracing, stopTracing } from '@carillon/tracing';
import { startGateway } from './gateway';

let unready = async (): Promise<string[]> => ['it starts'];
const metrics = await serveMetrics(() => unready());
await startTracing('gateway', (fields, message) => logger('gateway').warn(fields, message));
const gateway = await startGateway();
unready = async () => ((await gateway.isConnected()) ? [] : ['NATS does not answer']);
logReady(logger('gateway'), 'Gateway ready', { url: gateway.url });
const stopMeasuring = measureEventLoop('gateway');
const stop = async (): Promise<void> => {
  unready = async () => ['it is being stopped'];
  stopMeasuring();
  await gateway.close();
  await stopTracing();
  await metrics.close();
  process.exit(0);
};
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
