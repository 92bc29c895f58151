import type { FastifyInstance } from 'fastify';
import type { Exchange } from '../exchange.js';
import { digestOf, removeFromTray, signOut } from '../phone/phone.js';
import { pageActions, type SessionAnswer } from '../phone/session.js';
import { bodyOf, nothing } from './body.js';
import { optional, shape, text } from './check.js';
import { newPairing, pair } from './pairing.js';
import { installed, phoneOf, phoneView, reachable } from './phone.js';

interface OnPhone {
  Params: { id: string };
}
interface OnPage {
  Params: { id: string; pageId: string };
}

const press = shape({ promptId: text(200), answer: text(20_000), actionDigest: optional(text(200)) });

/** A press takes the notification away; the app puts it back only when the service did not hear it. */
const wasHeard = ({ status }: SessionAnswer): boolean => status > 0 && status < 500;

/** What the person does with the app that the service hears of: signs in and out, and presses. */
export function sessionRoutes(api: FastifyInstance, exchange: Exchange): void {
  const { phones, session } = exchange;

  api.post<OnPhone>('/phones/:id/pair', async (request) => {
    const phone = installed(phoneOf(phones, request.params.id));
    await pair(exchange, phone, bodyOf(request, newPairing));
    return { phone: phoneView(phone) };
  });

  api.post<OnPhone>('/phones/:id/sign-out', async (request) => {
    const phone = phoneOf(phones, request.params.id);
    bodyOf(request, nothing);
    const answers = await session.signOut(reachable(phone));
    signOut(phone, exchange.now());
    phone.pairing = undefined;
    phone.deviceId = undefined;
    phones.changed();
    exchange.log({ msg: 'signed out', phoneId: phone.id });
    return { phone: phoneView(phone), session: answers };
  });

  api.post<OnPhone>('/phones/:id/press', async (request) => {
    const phone = phoneOf(phones, request.params.id);
    const { promptId, answer, actionDigest } = bodyOf(request, press);
    const digest = actionDigest ?? digestOf(phone, promptId);
    const heard = await session.answer(reachable(phone), promptId, answer, digest);
    const { status } = heard;
    if (wasHeard(heard) && removeFromTray(phone, promptId) > 0) phones.changed();
    exchange.log({ msg: 'pressed', phoneId: phone.id, promptId, status });
    return heard;
  });

  for (const action of pageActions)
    api.post<OnPage>(`/phones/:id/pages/:pageId/${action}`, async (request) => {
      const phone = phoneOf(phones, request.params.id);
      bodyOf(request, nothing);
      const { pageId } = request.params;
      const heard = await session.page(reachable(phone), pageId, action);
      if (wasHeard(heard) && removeFromTray(phone, pageId) > 0) phones.changed();
      exchange.log({ msg: 'pressed', phoneId: phone.id, pageId, action, status: heard.status });
      return heard;
    });
}
