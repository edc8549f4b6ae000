"""Against packages that ask for an environment of their own: ``make test-lerobot``."""

import os
from importlib import import_module
from importlib.util import find_spec

INSTALLED = find_spec("lerobot") is not None

if INSTALLED:
    os.environ.setdefault("MUJOCO_GL", "egl")  # read once; there is no display
    import torch

    torch.set_num_threads(1)  # the policies are small
    try:
        import_module("torchvision")
    except RuntimeError:
        # It has no wheel for torch without CUDA: its own operators, which no policy here needs,
        # are missing, and have to be known for it to be imported at all.
        for name in ("nms", "qnms"):
            scheme = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
            torch.library.define(f"torchvision::{name}", scheme)
