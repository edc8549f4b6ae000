"""A policy server as openpi has it: asynchronous, with its own packing, and a traceback in text."""

import asyncio
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import websockets.asyncio.server
from openpi_client import msgpack_numpy


@contextmanager
def served(policy: Callable[[dict[str, Any]], Any], **metadata: Any) -> Iterator[str]:
    """Serve a policy in a thread for the time of a block; it is told what was sent, as it is."""
    loop, ready, address = asyncio.new_event_loop(), Event(), ""
    done = asyncio.Event()

    async def handle(client: websockets.asyncio.server.ServerConnection) -> None:
        await client.send(msgpack_numpy.packb(metadata))
        async for message in client:
            try:
                answer = await asyncio.to_thread(policy, msgpack_numpy.unpackb(message))
                await client.send(msgpack_numpy.packb(answer))
            except ConnectionResetError:
                client.transport.abort()
            except Exception:  # whatever a policy raises is sent, as openpi's server does
                await client.send(traceback.format_exc())
                await client.close(1011, "Internal server error. Traceback included above.")

    async def run() -> None:
        nonlocal address
        async with websockets.asyncio.server.serve(
            handle, "127.0.0.1", 0, compression=None, max_size=None
        ) as server:
            address = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
            ready.set()
            await done.wait()

    thread = Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    ready.wait()
    try:
        yield address
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()
        loop.close()
