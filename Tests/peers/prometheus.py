"""A strict parser of Prometheus' text format, which treats any violation as an error."""

import re
from dataclasses import dataclass, field

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')


@dataclass
class Metrics:
    """All samples of one scrape."""

    kinds: dict[str, str] = field(default_factory=dict)
    samples: dict[tuple[str, frozenset], float] = field(default_factory=dict)

    def value(self, name: str, **labels: str) -> float:
        return self.samples[name, frozenset(labels.items())]


def names_of(metric: str, kind: str) -> list[str]:
    """Returns the sample names of a metric of this type, such as `_bucket` and `_sum` of a histogram."""
    return [f"{metric}_{part}" for part in ("bucket", "sum", "count")] if kind == "histogram" else [metric]


def parse(text: str) -> Metrics:
    """Parses metrics. Each metric must be declared once before its samples, and no sample may be repeated."""
    metrics, current, helped = Metrics(), None, set()
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split(" ", 3)[2]
            assert name not in helped, line
            helped.add(name)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name in helped and name not in metrics.kinds and kind in ("counter", "gauge", "histogram"), line
            assert name.endswith("_total") == (kind == "counter"), line
            metrics.kinds[name], current = kind, name
        else:
            match = SAMPLE.fullmatch(line)
            assert match and match[1] in names_of(current, metrics.kinds[current]), line
            written = match[2] or ""
            labels = frozenset((name, value) for name, value in LABEL.findall(written))
            assert LABEL.sub("", written) == "", line
            assert (match[1], labels) not in metrics.samples, line
            metrics.samples[match[1], labels] = float(match[3])
    return metrics
