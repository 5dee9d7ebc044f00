import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.autograd import Variable

torch.manual_seed(11)
np.random.seed(11)


class Walk(object):
    def reset(self):
        self.position = 0
        self.steps = 0
        return np.array([0.0, 1.0])

    def step(self, action):
        self.steps += 1
        self.position += 1 if action == 1 else -1
        reward = float(self.position)
        done = self.steps >= 6 or abs(self.position) > 3
        return np.array([float(self.position), 1.0]), reward, done


class Policy(nn.Module):
    def __init__(self):
        super(Policy, self).__init__()
        self.affine1 = nn.Linear(2, 8)
        self.action_head = nn.Linear(8, 2)
        self.value_head = nn.Linear(8, 1)

    def forward(self, x):
        x = F.relu(self.affine1(x))
        action_scores = self.action_head(x)
        state_values = self.value_head(x)
        return F.softmax(action_scores), state_values


env = Walk()
model = Policy()
optimizer = optim.Adam(model.parameters(), lr=3e-2)

for i_episode in range(4):
    state = env.reset()
    saved, rewards = [], []
    for t in range(10):
        state = torch.from_numpy(state).float().unsqueeze(0)
        probs, state_value = model(Variable(state))
        action = probs.multinomial(1).data
        saved.append((probs.gather(1, Variable(action)).log(), state_value))
        state, reward, done = env.step(action[0, 0])
        rewards.append(reward)
        if done:
            break
    R = 0
    returns = []
    for r in rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.Tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + np.finfo(np.float32).eps)
    policy_loss = 0
    value_loss = 0
    for (log_prob, value), r in zip(saved, returns):
        reward = r - value.data[0, 0]
        policy_loss -= (log_prob * Variable(reward)).sum()
        value_loss += F.smooth_l1_loss(value, Variable(torch.Tensor([[r]])))
    optimizer.zero_grad()
    loss = policy_loss + value_loss
    loss.backward()
    optimizer.step()
    print('episode', i_episode, 'length', t, 'loss', loss.item())
