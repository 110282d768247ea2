"""The verbs of the command line, one module each; `register(subparsers)` adds one with its options."""

VERBS = {
    "swim": "the continuous eel swims: figures, a film, a NetCDF file",
    "robot": "a published machine of rigid bodies moves: figures, a film, a NetCDF file",
    "vertebra": "motors, limits and workspace of the parallel vertebra in a recorded swim",
    "optimise": "a faster or cheaper gait for the eel, by gradients; checked by a swim from rest",
    "sweep": "the eel's steady swim over a grid of gaits, resumable, over devices and hosts",
    "validate": "measure the code against references, and print the table",
    "atlas": "published swimmers in water with a wake, beside their published speeds",
    "bench": "measure the speed and compare it with other libraries",
}
