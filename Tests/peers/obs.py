"""OBS Studio, which publishes an empty scene."""

import json
import os
import subprocess
from pathlib import Path

SETTINGS = {
    "global.ini": """
        [General]
        FirstRun=true
        EnableAutoUpdates=false

        [Basic]
        Profile=Test
        ProfileDir=Test
        SceneCollection=Test
        SceneCollectionFile=Test
        """,
    "basic/profiles/Test/basic.ini": """
        [General]
        Name=Test

        [Output]
        Mode=Simple

        [SimpleOutput]
        VBitrate=800
        ABitrate=128
        StreamEncoder=x264

        [Video]
        BaseCX=640
        BaseCY=360
        OutputCX=640
        OutputCY=360
        FPSCommon=30
        """,
}
# Without stored scenes, OBS does not begin to publish.
SCENES = {
    "name": "Test",
    "current_scene": "Scene",
    "current_program_scene": "Scene",
    "scene_order": [{"name": "Scene"}],
    "sources": [{"id": "scene", "name": "Scene", "settings": {"items": []}}],
}


def start(prefix: list[str], home: Path, display: dict[str, str], server: str, key: str) -> subprocess.Popen:
    """Starts OBS, which publishes to `server` at once."""
    folder = home / ".config/obs-studio"
    for name, text in SETTINGS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(line.strip() for line in text.strip().splitlines()))
    service = {"type": "rtmp_custom", "settings": {"server": server, "key": key, "use_auth": False}}
    (folder / "basic/profiles/Test/service.json").write_text(json.dumps(service))
    (folder / "basic/scenes").mkdir()
    (folder / "basic/scenes/Test.json").write_text(json.dumps(SCENES))
    command = ["obs", "--multi", "--startstreaming", "--disable-updater", "--disable-missing-files-check"]
    environment = {**os.environ, **display, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    with (home / "obs.log").open("wb") as log:
        return subprocess.Popen([*prefix, *command], env=environment, stdout=log, stderr=log)
