// A relay with the frames of the original chat on Node's `ws`, which stores nothing.
const { WebSocketServer } = require("ws");

const sockets = new Map();

new WebSocketServer({ host: "127.0.0.1", port: Number(process.argv[2]) }).on("connection", (socket, request) => {
  const query = new URL(request.url, "http://localhost").searchParams;
  const [own, peer] = [Number(query.get("userId")), Number(query.get("withId"))];
  const pair = own < peer ? `${own} ${peer}` : `${peer} ${own}`;
  const others = sockets.get(pair) ?? new Set();
  sockets.set(pair, others.add(socket));
  socket.send(JSON.stringify({ type: "history", items: [] }));
  socket.on("message", (data) => {
    const timestamp = new Date().toISOString();
    const item = { from: String(own), to: String(peer), message: data.toString(), timestamp };
    const frame = JSON.stringify({ type: "message", item });
    for (const other of others) other.send(frame);
  });
  socket.on("close", () => others.delete(socket));
});
