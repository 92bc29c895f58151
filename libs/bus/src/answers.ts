import type { NatsConnection } from '@nats-io/transport-node';
import type { OutgoingResponse, Serializer } from '@nestjs/microservices';

/** What was answered is larger than one message may be. Whatever was to be done has been done. */
export const tooLarge = 'bus.too_large';

/** What NATS takes in one message unless it is told otherwise. */
const usualLimit = 1024 * 1024;

/**
 * Writes answers as Nest's own serializer does. One that is larger than the server takes could not be published, and
 * who asked would wait for it until the deadline; a refusal goes in its place.
 */
export class AnswerSerializer implements Serializer<OutgoingResponse, { data: string }> {
  private connection: NatsConnection | undefined;

  /** `report` is called with the size of an answer that was too large. */
  constructor(private readonly report: (bytes: number, limit: number) => void) {}

  /** From now on what this server takes counts. */
  sendOver(connection: NatsConnection): void {
    this.connection = connection;
  }

  serialize(packet: OutgoingResponse): { data: string } {
    const data = JSON.stringify(packet);
    const limit = this.connection?.info?.max_payload ?? usualLimit;
    // No character has more than three bytes for each of its units: most answers need not be measured.
    if (data.length * 3 <= limit) return { data };
    const bytes = Buffer.byteLength(data);
    if (bytes <= limit) return { data };
    this.report(bytes, limit);
    return { data: JSON.stringify({ ...packet, response: { refused: tooLarge, details: { limit } } }) };
  }
}
