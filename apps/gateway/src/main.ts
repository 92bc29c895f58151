import { serveMetrics } from '@carillon/metrics';
import { logger } from '@carillon/runtime';
import { startGateway } from './gateway';

const metrics = await serveMetrics();
const gateway = await startGateway();
logger('gateway').info({ url: gateway.url }, 'The gateway is ready');
const stop = async (): Promise<void> => {
  await gateway.close();
  await metrics.close();
  process.exit(0);
};
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
