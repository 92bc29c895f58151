import type { Type } from '@nestjs/common';

/** Other services, as far as a story asks them. */
export interface StandIns {
  close(): Promise<void>;
}

/** Has Nest controllers answer on NATS what other services would. They hear everything from when this resolves. */
export async function startStandIns(url: string, ...controllers: Type[]): Promise<StandIns> {
  // Loaded here: specs without other parts take from the kit too, and would wait for Nest.
  const { NestFactory } = await import('@nestjs/core');
  const { Transport } = await import('@nestjs/microservices');
  class StandInsModule {}
  const standIns = await NestFactory.createMicroservice(
    { module: StandInsModule, controllers },
    {
      transport: Transport.NATS,
      options: { servers: url, queue: 'stand-ins', noAsyncTraces: true },
      logger: false,
    },
  );
  await standIns.listen();
  await standIns.unwrap<{ flush(): Promise<void> }>().flush();
  return standIns;
}
