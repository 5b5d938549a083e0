# A headless Chromium through its driver, by the protocol of WebDriver; the standard library is all it takes.
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ARGUMENTS = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]


def missing():
    """What is not here, as a package of Debian; None: nothing."""
    for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if not shutil.which(program):
            return package
    return None


class Failed(Exception):
    pass


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            self.base = None
            for line in self.driver.stdout:
                if match := re.search(r"started successfully on port (\d+)", line):
                    self.base = f"http://127.0.0.1:{match[1]}"
                    break
            if self.base is None:
                raise Failed("chromedriver does not start")
            options = {"args": ARGUMENTS + [f"--user-data-dir={self.profile.name}"], "binary": shutil.which("chromium")}
            wanted = {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}
            self.base += "/session"
            self.base += "/" + self.call("POST", "", {"capabilities": wanted})["sessionId"]
            self.call("POST", "/timeouts", {"script": 120000, "pageLoad": 120000})
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            if self.base and not self.base.endswith("/session"):
                self.call("DELETE", "")
        except (Failed, OSError):
            pass
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        self.profile.cleanup()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=180) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise Failed(f"{path}: {json.load(error)['value'].get('message', '')}") from None

    def open(self, url):
        self.call("POST", "/url", {"url": "about:blank"})  # another fragment alone would be the same page
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of an expression, or of the promise that it is; its arguments are a[0], a[1] ..."""
        body = f"const done = arguments[arguments.length - 1]; const a = arguments; (async () => ({script}))()" \
               ".then((value) => done({value}), (error) => done({error: String(error)}));"
        out = self.call("POST", "/execute/async", {"script": body, "args": list(arguments)})
        if "error" in out:
            raise Failed(f"{script}: {out['error']}")
        return out.get("value")

    def until(self, script, *arguments, seconds=60):
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        while not (value := self.run(script, *arguments)):
            if time.monotonic() > end:
                raise Failed(f"it never came: {script}")
            time.sleep(0.05)
        return value

    def log(self):
        """What the page complained of since it was last asked."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] in ("WARNING", "SEVERE")]

    def picture(self, file, width, height, scheme):
        """A screenshot in a window of that size, light or dark."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        pathlib.Path(file).write_bytes(__import__("base64").b64decode(self.cdp("Page.captureScreenshot", format="png")["data"]))

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})
