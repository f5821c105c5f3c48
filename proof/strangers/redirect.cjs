// Loaded before a stranger's code by `node --require`: what it sends to the provider's host goes to the twin at
// TWIN_PORT, so that the code itself stays as it was published.
const http = require('node:http');
const https = require('node:https');

const provider = 'api.stripe.com';
const twin = { host: '127.0.0.1', hostname: '127.0.0.1', port: Number(process.env.TWIN_PORT) };

const request = https.request;
https.request = (given, ...more) => {
  const isAddress = typeof given === 'string' || given instanceof URL;
  const url = isAddress ? new URL(given) : undefined;
  const { host, hostname, port, protocol, agent, ...rest } = url ? {} : given;
  if ((url?.host ?? hostname ?? host) !== provider) return request(given, ...more);
  const path = url ? `${url.pathname}${url.search}` : rest.path;
  const own = url && typeof more[0] === 'object' ? more.shift() : {};
  const sent = http.request({ ...rest, ...own, ...twin, path }, ...more);
  // The provider's SDK sends its body once a TLS connection is there.
  const on = sent.once.bind(sent);
  sent.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', () => socket.emit('secureConnect'));
  });
  sent.once = on;
  return sent;
};

const { fetch } = globalThis;
globalThis.fetch = (given, options) => {
  const url = new URL(given instanceof Request ? given.url : given);
  if (url.host !== provider) return fetch(given, options);
  const own = `http://127.0.0.1:${twin.port}${url.pathname}${url.search}`;
  return given instanceof Request ? fetch(new Request(own, given), options) : fetch(own, options);
};
