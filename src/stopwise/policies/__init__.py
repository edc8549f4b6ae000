"""Where policies come from: a module, a server, a training library; and how each of them acts."""
